/** Requests whose body contradicts their path, or contains a value twice. */

import type { RawCall } from "../raw_call.ts";
import {
  deleted,
  json,
  patchBody,
  patchRequest,
  patchWith,
  type SmuggledRequest,
  unchanged,
  withResult,
} from "./request.ts";

export const bodies: SmuggledRequest[] = [
  ...withResult(200, unchanged, {
    "a GET with a body": (w) => ({
      path: `/registry/v2/repos/${w.mine}`,
      body: json({ uid: w.alien }),
    }),
  }),
  ...withResult(200, deleted, {
    "a DELETE with another's uid as body": (w) => ({
      method: "DELETE",
      path: `/registry/v2/repos/${w.mine}`,
      body: json({ uid: w.alien }),
    }),
  }),
  ...withResult(200, "seen", {
    "another's uid": (w) => patchBody(w, json({ uid: w.alien, description: "seen" })),
    "a key twice, the caller's own uid first": (w) =>
      patchBody(w, `{"uid":"${w.mine}","uid":"${w.alien}","description":"seen"}`),
    "a field twice: the last counts": (w) =>
      patchBody(w, '{"description":"first","description":"seen"}'),
    "a byte order mark": (w) => patchBody(w, '\ufeff{"description":"seen"}'),
    "JSON that is called a form": (w) =>
      patchWith(w, ["content-type", "application/x-www-form-urlencoded"]),
    "JSON that is called XML": (w) => patchWith(w, ["content-type", "application/xml"]),
    "two content types": (w) =>
      patchWith(w, ["content-type", "application/json"], ["content-type", "text/plain"]),
  }),
  ...withResult(400, unchanged, {
    "another's uid as the whole resource": (w) =>
      patchBody(w, json({ repo: { uid: w.alien, description: "x" } })),
    "a field in both spellings": (w) => patchBody(w, '{"sync_config":{},"syncConfig":{}}'),
    "a key of the prototype": (w) =>
      patchBody(w, `{"__proto__":{"uid":"${w.alien}"},"description":"seen"}`),
    "UTF-16": (w) => patchBody(w, Buffer.from('{"description":"seen"}', "utf16le")),
    "no UTF-8": (w) => patchBody(w, Buffer.from('{"description":"\xff"}', "latin1")),
    "two objects": (w) => patchBody(w, '{"description":"seen"}{"description":"x"}'),
    "a list": (w) => patchBody(w, '[{"description":"seen"}]'),
    null: (w) => patchBody(w, "null"),
    "a comment": (w) => patchBody(w, '{"description":"seen"}//'),
    "a form": (w) =>
      patchRequest(w, {
        body: "description=seen",
        headers: [["content-type", "application/x-www-form-urlencoded"]],
      }),
    "JSON that is said to be gzip": (w) => patchWith(w, ["content-encoding", "gzip"]),
  }),
];
const connect = (
  method: string,
  body: string | Uint8Array,
  type = "application/json",
): RawCall => ({
  method: "POST",
  path: `/platform.registry.v2.ReposService/${method}`,
  headers: [["content-type", type]],
  body,
});
export const overConnect: SmuggledRequest[] = [
  ...withResult(200, deleted, {
    "a field of both wires twice": (w) =>
      connect("DeleteRepo", wire(w.alien, w.mine), "application/proto"),
  }),
  ...withResult(403, unchanged, {
    "a field of both wires twice, the last another's": (w) =>
      connect("DeleteRepo", wire(w.mine, w.alien), "application/proto"),
  }),
  ...withResult(405, unchanged, {
    "a GET with the message in the query": (w) => ({
      path: `/platform.registry.v2.ReposService/DeleteRepo?encoding=json&message=${encodeURIComponent(json({ uid: w.mine }))}`,
    }),
  }),
  ...withResult(400, unchanged, {
    "a key twice, the last another's": (w) =>
      connect("DeleteRepo", `{"uid":"${w.mine}","uid":"${w.alien}"}`),
    "a key twice, the caller's own uid last": (w) =>
      connect("DeleteRepo", `{"uid":"${w.alien}","uid":"${w.mine}"}`),
    "JSON that is called a message": (w) =>
      connect("DeleteRepo", json({ uid: w.mine }), "application/proto"),
    "a message that is called JSON": (w) => connect("DeleteRepo", wire(w.mine), "application/json"),
  }),
  ...withResult(404, unchanged, {
    "another vendor's name before the package": (w) => ({
      ...connect("DeleteRepo", json({ uid: w.mine })),
      path: "/evil.platform.registry.v2.ReposService/DeleteRepo",
    }),
    "the method in lower case": (w) => connect("deleterepo", json({ uid: w.mine })),
    "a percent-encoded service": (w) => ({
      ...connect("DeleteRepo", json({ uid: w.mine })),
      path: "/platform.registry.v2.ReposService%2FDeleteRepo",
    }),
  }),
];

/** Uids as field 1 of a message, one after another. */
const wire = (...uids: string[]) =>
  Buffer.concat(
    uids.map((uid) => Buffer.concat([Buffer.from([0x0a, uid.length]), Buffer.from(uid)])),
  );
