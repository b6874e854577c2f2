/** Requests whose body says something else than their path, or says it twice. */

import type { RawCall } from "./raw_call.ts";
import { gone, json, patch, type Smuggled, unchanged } from "./smuggled.ts";

export const bodies: Smuggled[] = [
  [
    "another's uid",
    (w) => patch(w, { body: json({ uid: w.alien, description: "seen" }) }),
    200,
    "seen",
  ],
  [
    "another's uid as the whole resource",
    (w) => patch(w, { body: json({ repo: { uid: w.alien, description: "x" } }) }),
    400,
    unchanged,
  ],
  [
    "a key twice, the uid first one's own",
    (w) => patch(w, { body: `{"uid":"${w.mine}","uid":"${w.alien}","description":"seen"}` }),
    200,
    "seen",
  ],
  [
    "a field twice: the last counts",
    (w) => patch(w, { body: '{"description":"first","description":"seen"}' }),
    200,
    "seen",
  ],
  [
    "a field in both spellings",
    (w) => patch(w, { body: '{"sync_config":{},"syncConfig":{}}' }),
    400,
    unchanged,
  ],
  [
    "a key of the prototype",
    (w) => patch(w, { body: `{"__proto__":{"uid":"${w.alien}"},"description":"seen"}` }),
    400,
    unchanged,
  ],
  ["a byte order mark", (w) => patch(w, { body: '\ufeff{"description":"seen"}' }), 200, "seen"],
  [
    "UTF-16",
    (w) => patch(w, { body: Buffer.from('{"description":"seen"}', "utf16le") }),
    400,
    unchanged,
  ],
  [
    "no UTF-8",
    (w) => patch(w, { body: Buffer.from('{"description":"\xff"}', "latin1") }),
    400,
    unchanged,
  ],
  [
    "two objects",
    (w) => patch(w, { body: '{"description":"seen"}{"description":"x"}' }),
    400,
    unchanged,
  ],
  ["a list", (w) => patch(w, { body: '[{"description":"seen"}]' }), 400, unchanged],
  ["null", (w) => patch(w, { body: "null" }), 400, unchanged],
  ["a comment", (w) => patch(w, { body: '{"description":"seen"}//' }), 400, unchanged],
  [
    "a form",
    (w) =>
      patch(w, {
        body: "description=seen",
        headers: [["content-type", "application/x-www-form-urlencoded"]],
      }),
    400,
    unchanged,
  ],
  [
    "JSON that is called a form",
    (w) => patch(w, { headers: [["content-type", "application/x-www-form-urlencoded"]] }),
    200,
    "seen",
  ],
  [
    "JSON that is called XML",
    (w) => patch(w, { headers: [["content-type", "application/xml"]] }),
    200,
    "seen",
  ],
  [
    "two content types",
    (w) =>
      patch(w, {
        headers: [
          ["content-type", "application/json"],
          ["content-type", "text/plain"],
        ],
      }),
    200,
    "seen",
  ],
  [
    "JSON that is said to be gzip",
    (w) => patch(w, { headers: [["content-encoding", "gzip"]] }),
    400,
    unchanged,
  ],
  [
    "a GET with a body",
    (w) => ({ path: `/registry/v2/repos/${w.mine}`, body: json({ uid: w.alien }) }),
    200,
    unchanged,
  ],
  [
    "a DELETE with another's uid as body",
    (w) => ({
      method: "DELETE",
      path: `/registry/v2/repos/${w.mine}`,
      body: json({ uid: w.alien }),
    }),
    200,
    gone,
  ],
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
export const overConnect: Smuggled[] = [
  [
    "a key twice, the last another's",
    (w) => connect("DeleteRepo", `{"uid":"${w.mine}","uid":"${w.alien}"}`),
    400,
    unchanged,
  ],
  [
    "a key twice, the last one's own",
    (w) => connect("DeleteRepo", `{"uid":"${w.alien}","uid":"${w.mine}"}`),
    400,
    unchanged,
  ],
  [
    "a field of both wires twice",
    (w) => connect("DeleteRepo", wire(w.alien, w.mine), "application/proto"),
    200,
    gone,
  ],
  [
    "a field of both wires twice, the last another's",
    (w) => connect("DeleteRepo", wire(w.mine, w.alien), "application/proto"),
    403,
    unchanged,
  ],
  [
    "JSON that is called a message",
    (w) => connect("DeleteRepo", json({ uid: w.mine }), "application/proto"),
    400,
    unchanged,
  ],
  [
    "a message that is called JSON",
    (w) => connect("DeleteRepo", wire(w.mine), "application/json"),
    400,
    unchanged,
  ],
  [
    "another vendor's name before the package",
    (w) => ({
      ...connect("DeleteRepo", json({ uid: w.mine })),
      path: "/evil.platform.registry.v2.ReposService/DeleteRepo",
    }),
    404,
    unchanged,
  ],
  ["the method in lower case", (w) => connect("deleterepo", json({ uid: w.mine })), 404, unchanged],
  [
    "a GET with the message in the query",
    (w) => ({
      path: `/platform.registry.v2.ReposService/DeleteRepo?encoding=json&message=${encodeURIComponent(json({ uid: w.mine }))}`,
    }),
    405,
    unchanged,
  ],
  [
    "a percent-encoded service",
    (w) => ({
      ...connect("DeleteRepo", json({ uid: w.mine })),
      path: "/platform.registry.v2.ReposService%2FDeleteRepo",
    }),
    404,
    unchanged,
  ],
];

/** Uids as field 1 of a message, one behind the other. */
const wire = (...uids: string[]) =>
  Buffer.concat(
    uids.map((uid) => Buffer.concat([Buffer.from([0x0a, uid.length]), Buffer.from(uid)])),
  );
