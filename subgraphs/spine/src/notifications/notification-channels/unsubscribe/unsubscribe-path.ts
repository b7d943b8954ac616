/** The path of the page behind the link of a mail that unsubscribes its recipient. */
export const unsubscribePath = "/connect/unsubscribe";
