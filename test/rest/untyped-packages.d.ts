declare module "eventsource" {
  const constructor: typeof EventSource;
  export default constructor;
}
