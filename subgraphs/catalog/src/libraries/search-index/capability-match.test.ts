import fc from "fast-check";
import { indexTokens, matchCapability, normalizeTokens } from "./capability-match.js";

const tokens: readonly (readonly [string, string])[] = [
  ["messaging.publish", "messaging publish"],
  ["Messaging_Publish", "messaging publish"],
  ["publishMessage", "publish message"],
  ["HTTPClient", "http client"],
  ["IOrderStore", "i order store"],
  ["http2Server", "http2 server"],
  ["urn:acme/orders v2", "urn acme orders v2"],
  ["  a--b..c ", "a b c"],
  ["ﬁle.store", "file store"],
  ["ＡＰＩ", "api"],
  ["ÜberTrage", "über trage"],
  ["", ""],
  ["...", ""],
];

const matches: readonly (readonly [query: string, name: string, contract: string | null, tier: number | undefined])[] =
  [
    ["messaging.publish", "messaging.publish", null, 1],
    ["Messaging Publish", "messaging.publish", null, 1],
    ["messagingPublish", "messaging-publish", null, 1],
    ["oauth", "OAuth", null, 1],
    ["OAuth", "oauth", null, 1],
    ["messaging/v2", "messaging.publish", "messaging/v2", 2],
    ["IMessageBus", "messaging.publish", "i-message-bus", 2],
    ["messaging", "messaging.publish", null, 3],
    ["messaging.publish", "messaging.publish.batch", null, 3],
    ["publish", "messaging.publish", null, 4],
    ["publish messaging", "messaging.publish", null, 4],
    ["publish v2", "messaging.publish", "messaging/v2", 4],
    ["v2", "messaging.publish", "messaging/v2", 4],
    ["pub", "messaging.publish", null, 5],
    ["publish mess", "messaging.publish", null, 5],
    ["pub messaging", "messaging.publish", null, undefined],
    ["mesaging", "messaging.publish", null, 6],
    ["mesasging", "messaging.publish", null, 6],
    ["messagging publish", "messaging.publish", null, 6],
    ["mxssaging", "messaging.publish", null, 6],
    ["mxssagxng", "messaging.publish", null, undefined],
    ["mesaging publlish", "messaging.publish", null, undefined],
    ["pblish", "messaging.publish", null, 6],
    ["casg", "cash", null, undefined],
    ["storage", "messaging.publish", null, undefined],
    ["publish storage", "messaging.publish", null, undefined],
    ["", "messaging.publish", null, undefined],
    [".", "messaging.publish", null, undefined],
  ];

describe("capability words", () => {
  it.each(tokens)("of %j are %j", (text, words) => {
    expect(normalizeTokens(text).join(" ")).toBe(words);
  });

  it("are looked up as a compound and as its parts", () => {
    expect(indexTokens("OAuth.tokenRefresh")).toEqual(["oauth", "tokenrefresh", "o", "auth", "token", "refresh"]);
  });
});

describe("a capability query", () => {
  it.each(matches)("%j matches %s (%s) on tier %s", (query, name, contract, tier) => {
    expect(matchCapability(query, { name, contract })).toBe(tier);
  });

  it("finds every name by itself, whatever its casing and separators", () => {
    const name = fc.stringMatching(/^[a-z]{1,8}([._-][a-z0-9]{1,6}){0,3}$/);
    fc.assert(
      fc.property(name, (text) => {
        expect(matchCapability(text.toUpperCase().replaceAll("_", "/"), { name: text, contract: null })).toBe(1);
      }),
    );
  });
});
