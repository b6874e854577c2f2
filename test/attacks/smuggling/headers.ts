/** Requests whose method, headers or query contradict their path. */
import {
  deletedDescription,
  getRequest,
  json,
  patchRequest,
  type SmuggledRequest,
  unchangedDescription,
} from "./request.ts";

export const methods: SmuggledRequest[] = [
  [
    "x-http-method-override on a GET",
    (w) => getRequest(w, [["x-http-method-override", "DELETE"]]),
    200,
    unchangedDescription,
  ],
  [
    "x-http-method on a GET",
    (w) => getRequest(w, [["x-http-method", "DELETE"]]),
    200,
    unchangedDescription,
  ],
  [
    "x-method-override on a POST",
    (w) => ({ ...patchRequest(w), method: "POST", headers: [["x-method-override", "PATCH"]] }),
    400,
    unchangedDescription,
  ],
  [
    "_method in the query",
    (w) => getRequest(w, [], `/registry/v2/repos/${w.mine}?_method=DELETE`),
    400,
    unchangedDescription,
  ],
  [
    "_method in the body",
    (w) => patchRequest(w, { body: '{"description":"seen","_method":"DELETE"}' }),
    400,
    unchangedDescription,
  ],
  [
    "a method in lower case",
    (w) => ({ method: "delete", path: `/registry/v2/repos/${w.mine}` }),
    200,
    deletedDescription,
  ],
  [
    "an unknown method",
    (w) => ({ method: "PURGE", path: `/registry/v2/repos/${w.mine}` }),
    501,
    unchangedDescription,
  ],
  [
    "OPTIONS",
    (w) => ({ method: "OPTIONS", path: `/registry/v2/repos/${w.mine}` }),
    501,
    unchangedDescription,
  ],
];

export const headers: SmuggledRequest[] = [
  ...["x-original-url", "x-rewrite-url", "x-forwarded-uri", "x-forwarded-path"].map(
    (name): SmuggledRequest => [
      `${name} with another's uid`,
      (w) => patchRequest(w, { headers: [[name, `/registry/v2/repos/${w.alien}`]] }),
      200,
      "seen",
    ],
  ),
  [
    "x-forwarded-host, -proto and -for",
    (w) =>
      patchRequest(w, {
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
    (w) => patchRequest(w, { headers: [["forwarded", "for=127.0.0.1;host=evil.example"]] }),
    200,
    "seen",
  ],
  ["another host", (w) => patchRequest(w, { headers: [["host", "evil.example"]] }), 200, "seen"],
  [
    "the platform's address as the request target",
    (w) => patchRequest(w, { path: `http://evil.example/registry/v2/repos/${w.mine}` }),
    200,
    "seen",
  ],
  [
    "another's uid in the host",
    (w) => patchRequest(w, { headers: [["host", `${w.alien.slice(0, 40)}.example`]] }),
    200,
    "seen",
  ],
  [
    "connection that drops the authorization",
    (w) => patchRequest(w, { headers: [["connection", "authorization"]] }),
    200,
    "seen",
  ],
];

export const queries: SmuggledRequest[] = [
  [
    "the path's field in the query",
    (w) => patchRequest(w, { path: `/registry/v2/repos/${w.mine}?repo.uid=${w.alien}` }),
    400,
    unchangedDescription,
  ],
  [
    "the path's field in the query, as `uid`",
    (w) => patchRequest(w, { path: `/registry/v2/repos/${w.mine}?uid=${w.alien}` }),
    400,
    unchangedDescription,
  ],
  [
    "the body's field in the query",
    (w) => patchRequest(w, { path: `/registry/v2/repos/${w.mine}?repo.description=other` }),
    400,
    unchangedDescription,
  ],
  [
    "two masks",
    (w) =>
      patchRequest(w, {
        path: `/registry/v2/repos/${w.mine}?updateMask=name&update_mask=description`,
      }),
    400,
    unchangedDescription,
  ],
  [
    "a mask of the uid",
    (w) =>
      patchRequest(w, {
        path: `/registry/v2/repos/${w.mine}?updateMask=uid,description`,
        body: json({ uid: w.alien, description: "seen" }),
      }),
    200,
    "seen",
  ],
  [
    "a query key twice",
    (w) => getRequest(w, [], `/registry/v2/repos?name=a&name=b`),
    400,
    unchangedDescription,
  ],
  [
    "a query key in both spellings",
    (w) => getRequest(w, [], "/registry/v2/repos?page_size=1&pageSize=2"),
    400,
    unchangedDescription,
  ],
  [
    "a scope twice",
    (w) =>
      getRequest(
        w,
        [],
        `/registry/v2/repos?uidp.childrenOf=${w.ours}&uidp.children_of=${w.theirs}`,
      ),
    400,
    unchangedDescription,
  ],
  [
    "two scopes",
    (w) =>
      getRequest(
        w,
        [],
        `/registry/v2/repos?uidp.childrenOf=${w.ours}&uidp.descendantsOf=${w.theirs}`,
      ),
    400,
    unchangedDescription,
  ],
  [
    "the caller's own uid and another's among the ids",
    (w) => getRequest(w, [], `/registry/v2/repos?uidp.ids=${w.mine}&uidp.ids=${w.alien}`),
    200,
    unchangedDescription,
  ],
  [
    "a key with brackets",
    (w) => getRequest(w, [], `/registry/v2/repos?uidp[childrenOf]=${w.theirs}`),
    400,
    unchangedDescription,
  ],
  [
    "a key of the prototype",
    (w) => getRequest(w, [], "/registry/v2/repos?__proto__.x=1&constructor.prototype.y=2"),
    400,
    unchangedDescription,
  ],
  [
    "a query that is not UTF-8",
    (w) => getRequest(w, [], "/registry/v2/repos?name=%FF%FE"),
    400,
    unchangedDescription,
  ],
];
