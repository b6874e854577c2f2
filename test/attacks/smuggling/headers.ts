/** Requests whose method, headers or query contradict their path. */
import {
  deleted,
  getRequest,
  json,
  patchAt,
  patchBody,
  patchRequest,
  patchWith,
  type SmuggledRequest,
  unchanged,
  withResult,
} from "./request.ts";

export const methods: SmuggledRequest[] = [
  ...withResult(200, deleted, {
    "a method in lower case": (w) => ({ method: "delete", path: `/registry/v2/repos/${w.mine}` }),
  }),
  ...withResult(200, unchanged, {
    "x-http-method-override on a GET": (w) => getRequest(w, [["x-http-method-override", "DELETE"]]),
    "x-http-method on a GET": (w) => getRequest(w, [["x-http-method", "DELETE"]]),
  }),
  ...withResult(400, unchanged, {
    "x-method-override on a POST": (w) => ({
      ...patchRequest(w),
      method: "POST",
      headers: [["x-method-override", "PATCH"]],
    }),
    "_method in the query": (w) => ({ path: `/registry/v2/repos/${w.mine}?_method=DELETE` }),
    "_method in the body": (w) => patchBody(w, '{"description":"seen","_method":"DELETE"}'),
  }),
  ...withResult(501, unchanged, {
    "an unknown method": (w) => ({ method: "PURGE", path: `/registry/v2/repos/${w.mine}` }),
    OPTIONS: (w) => ({ method: "OPTIONS", path: `/registry/v2/repos/${w.mine}` }),
  }),
];

export const headers: SmuggledRequest[] = [
  ...withResult(200, "seen", {
    "x-forwarded-host, -proto and -for": (w) =>
      patchWith(
        w,
        ["x-forwarded-host", "evil.example"],
        ["x-forwarded-proto", "gopher"],
        ["x-forwarded-for", "127.0.0.1"],
      ),
    forwarded: (w) => patchWith(w, ["forwarded", "for=127.0.0.1;host=evil.example"]),
    "another host": (w) => patchWith(w, ["host", "evil.example"]),
    "the platform's address as the request target": (w) =>
      patchRequest(w, { path: `http://evil.example/registry/v2/repos/${w.mine}` }),
    "another's uid in the host": (w) => patchWith(w, ["host", `${w.alien.slice(0, 40)}.example`]),
    "connection that drops the authorization": (w) => patchWith(w, ["connection", "authorization"]),
  }),
  ...["x-original-url", "x-rewrite-url", "x-forwarded-uri", "x-forwarded-path"].map(
    (name): SmuggledRequest => [
      `${name} with another's uid`,
      (w) => patchWith(w, [name, `/registry/v2/repos/${w.alien}`]),
      200,
      "seen",
    ],
  ),
];

export const queries: SmuggledRequest[] = [
  ...withResult(200, "seen", {
    "a mask of the uid": (w) =>
      patchAt(w, "?updateMask=uid,description", {
        body: json({ uid: w.alien, description: "seen" }),
      }),
  }),
  ...withResult(200, unchanged, {
    "the caller's own uid and another's among the ids": (w) => ({
      path: `/registry/v2/repos?uidp.ids=${w.mine}&uidp.ids=${w.alien}`,
    }),
  }),
  ...withResult(400, unchanged, {
    "the path's field in the query": (w) => patchAt(w, `?repo.uid=${w.alien}`),
    "the path's field in the query, as `uid`": (w) => patchAt(w, `?uid=${w.alien}`),
    "the body's field in the query": (w) => patchAt(w, `?repo.description=other`),
    "two masks": (w) => patchAt(w, "?updateMask=name&update_mask=description"),
    "a query key twice": () => ({ path: `/registry/v2/repos?name=a&name=b` }),
    "a query key in both spellings": () => ({ path: "/registry/v2/repos?page_size=1&pageSize=2" }),
    "a scope twice": (w) => ({
      path: `/registry/v2/repos?uidp.childrenOf=${w.ours}&uidp.children_of=${w.theirs}`,
    }),
    "two scopes": (w) => ({
      path: `/registry/v2/repos?uidp.childrenOf=${w.ours}&uidp.descendantsOf=${w.theirs}`,
    }),
    "a key with brackets": (w) => ({ path: `/registry/v2/repos?uidp[childrenOf]=${w.theirs}` }),
    "a key of the prototype": () => ({
      path: "/registry/v2/repos?__proto__.x=1&constructor.prototype.y=2",
    }),
    "a query that is not UTF-8": () => ({ path: "/registry/v2/repos?name=%FF%FE" }),
  }),
];
