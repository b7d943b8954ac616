/**
 * The browser script that runs the GraphiQL page's operations: queries and mutations over fetch, subscriptions over a
 * websocket. GraphiQL's client sends no token in `connection_init`, the only place where a browser can send a
 * websocket's token.
 */
export const fetcherScript = `
async function factoryFetcher({ query, operationName, variables }, { headers = {}, documentAST } = {}) {
  const definitions = documentAST ? documentAST.definitions : [];
  const asked = definitions.filter(({ kind }) => kind === "OperationDefinition");
  const operation = asked.find(({ name }) => name && name.value === operationName) || asked[0];
  const payload = { query, operationName, variables };
  if (operation && operation.operation === "subscription") return factorySubscription(payload, headers);
  const response = await fetch(location.origin + "/graphql", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/graphql-response+json, application/json", ...headers },
    body: JSON.stringify(payload),
  });
  return response.json();
}

function factorySubscription(payload, headers) {
  const socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/graphql", "graphql-transport-ws");
  const waiting = [];
  let wake = () => undefined;
  let ended = false;
  const push = (item) => {
    if (ended) return;
    waiting.push(item);
    ended = item.done === true;
    wake();
  };
  const send = (message) => socket.send(JSON.stringify(message));
  socket.addEventListener("open", () => send({ type: "connection_init", payload: headers }));
  socket.addEventListener("close", ({ code, reason }) => push({ done: true, value: { errors: [{ message: "The socket was closed: " + code + " " + reason }] } }));
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(data);
    if (message.type === "connection_ack") send({ type: "subscribe", id: "1", payload });
    else if (message.type === "ping") send({ type: "pong" });
    else if (message.type === "next") push({ done: false, value: message.payload });
    else if (message.type === "error") push({ done: true, value: { errors: message.payload } });
    else if (message.type === "complete") push({ done: true, value: undefined });
  });
  return (async function* () {
    try {
      for (;;) {
        while (waiting.length === 0) await new Promise((resolve) => (wake = resolve));
        const { done, value } = waiting.shift();
        if (value !== undefined) yield value;
        if (done) return;
      }
    } finally {
      ended = true;
      socket.close();
    }
  })();
}
`;
