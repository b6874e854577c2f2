/** Requests whose method, headers or query say something else than their path. */
import { get, gone, json, patch, type Smuggled, unchanged } from "./smuggled.ts";

export const methods: Smuggled[] = [
  [
    "x-http-method-override on a GET",
    (w) => get(w, [["x-http-method-override", "DELETE"]]),
    200,
    unchanged,
  ],
  ["x-http-method on a GET", (w) => get(w, [["x-http-method", "DELETE"]]), 200, unchanged],
  [
    "x-method-override on a POST",
    (w) => ({ ...patch(w), method: "POST", headers: [["x-method-override", "PATCH"]] }),
    400,
    unchanged,
  ],
  [
    "_method in the query",
    (w) => get(w, [], `/registry/v2/repos/${w.mine}?_method=DELETE`),
    200,
    unchanged,
  ],
  [
    "_method in the body",
    (w) => patch(w, { body: '{"description":"seen","_method":"DELETE"}' }),
    400,
    unchanged,
  ],
  [
    "a method in lower case",
    (w) => ({ method: "delete", path: `/registry/v2/repos/${w.mine}` }),
    200,
    gone,
  ],
  [
    "a method that nobody knows",
    (w) => ({ method: "PURGE", path: `/registry/v2/repos/${w.mine}` }),
    501,
    unchanged,
  ],
  ["OPTIONS", (w) => ({ method: "OPTIONS", path: `/registry/v2/repos/${w.mine}` }), 501, unchanged],
];

export const headers: Smuggled[] = [
  ...["x-original-url", "x-rewrite-url", "x-forwarded-uri", "x-forwarded-path"].map(
    (name): Smuggled => [
      `${name} with another's uid`,
      (w) => patch(w, { headers: [[name, `/registry/v2/repos/${w.alien}`]] }),
      200,
      "seen",
    ],
  ),
  [
    "x-forwarded-host, -proto and -for",
    (w) =>
      patch(w, {
        headers: [
          ["x-forwarded-host", "evil.example"],
          ["x-forwarded-proto", "gopher"],
          ["x-forwarded-for", "127.0.0.1"],
        ],
      }),
    200,
    "seen",
  ],
  [
    "forwarded",
    (w) => patch(w, { headers: [["forwarded", "for=127.0.0.1;host=evil.example"]] }),
    200,
    "seen",
  ],
  ["another host", (w) => patch(w, { headers: [["host", "evil.example"]] }), 200, "seen"],
  [
    "the platform's address as the request target",
    (w) => patch(w, { path: `http://evil.example/registry/v2/repos/${w.mine}` }),
    200,
    "seen",
  ],
  [
    "another's uid in the host",
    (w) => patch(w, { headers: [["host", `${w.alien.slice(0, 40)}.example`]] }),
    200,
    "seen",
  ],
  [
    "connection that drops the authorization",
    (w) => patch(w, { headers: [["connection", "authorization"]] }),
    200,
    "seen",
  ],
];

export const queries: Smuggled[] = [
  [
    "the path's field in the query",
    (w) => patch(w, { path: `/registry/v2/repos/${w.mine}?repo.uid=${w.alien}` }),
    200,
    "seen",
  ],
  [
    "the path's field in the query, as `uid`",
    (w) => patch(w, { path: `/registry/v2/repos/${w.mine}?uid=${w.alien}` }),
    200,
    "seen",
  ],
  [
    "the body's field in the query",
    (w) => patch(w, { path: `/registry/v2/repos/${w.mine}?repo.description=other` }),
    200,
    "seen",
  ],
  [
    "two masks",
    (w) =>
      patch(w, { path: `/registry/v2/repos/${w.mine}?updateMask=name&update_mask=description` }),
    400,
    unchanged,
  ],
  [
    "a mask of the uid",
    (w) =>
      patch(w, {
        path: `/registry/v2/repos/${w.mine}?updateMask=uid,description`,
        body: json({ uid: w.alien, description: "seen" }),
      }),
    200,
    "seen",
  ],
  ["a query key twice", (w) => get(w, [], `/registry/v2/repos?name=a&name=b`), 400, unchanged],
  [
    "a query key in both spellings",
    (w) => get(w, [], "/registry/v2/repos?page_size=1&pageSize=2"),
    400,
    unchanged,
  ],
  [
    "a scope twice",
    (w) => get(w, [], `/registry/v2/repos?uidp.childrenOf=${w.ours}&uidp.children_of=${w.theirs}`),
    400,
    unchanged,
  ],
  [
    "two scopes",
    (w) =>
      get(w, [], `/registry/v2/repos?uidp.childrenOf=${w.ours}&uidp.descendantsOf=${w.theirs}`),
    400,
    unchanged,
  ],
  [
    "one's own uid and another's among the ids",
    (w) => get(w, [], `/registry/v2/repos?uidp.ids=${w.mine}&uidp.ids=${w.alien}`),
    200,
    unchanged,
  ],
  [
    "a key with brackets",
    (w) => get(w, [], `/registry/v2/repos?uidp[childrenOf]=${w.theirs}`),
    200,
    unchanged,
  ],
  [
    "a key of the prototype",
    (w) => get(w, [], "/registry/v2/repos?__proto__.x=1&constructor.prototype.y=2"),
    200,
    unchanged,
  ],
  ["a query that is no UTF-8", (w) => get(w, [], "/registry/v2/repos?name=%FF%FE"), 400, unchanged],
];
