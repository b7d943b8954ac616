/** The path to the page behind a mail's link that unsubscribes its recipient. */
export const unsubscribePath = "/connect/unsubscribe";
