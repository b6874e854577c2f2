/** Requests whose body contradicts their path, or contains a value twice. */

import type { RawCall } from "../raw_call.ts";
import {
  deletedDescription,
  json,
  patchRequest,
  type SmuggledRequest,
  unchangedDescription,
} from "./request.ts";

export const bodies: SmuggledRequest[] = [
  [
    "another's uid",
    (w) => patchRequest(w, { body: json({ uid: w.alien, description: "seen" }) }),
    200,
    "seen",
  ],
  [
    "another's uid as the whole resource",
    (w) => patchRequest(w, { body: json({ repo: { uid: w.alien, description: "x" } }) }),
    400,
    unchangedDescription,
  ],
  [
    "a key twice, the caller's own uid first",
    (w) => patchRequest(w, { body: `{"uid":"${w.mine}","uid":"${w.alien}","description":"seen"}` }),
    200,
    "seen",
  ],
  [
    "a field twice: the last counts",
    (w) => patchRequest(w, { body: '{"description":"first","description":"seen"}' }),
    200,
    "seen",
  ],
  [
    "a field in both spellings",
    (w) => patchRequest(w, { body: '{"sync_config":{},"syncConfig":{}}' }),
    400,
    unchangedDescription,
  ],
  [
    "a key of the prototype",
    (w) => patchRequest(w, { body: `{"__proto__":{"uid":"${w.alien}"},"description":"seen"}` }),
    400,
    unchangedDescription,
  ],
  [
    "a byte order mark",
    (w) => patchRequest(w, { body: '\ufeff{"description":"seen"}' }),
    200,
    "seen",
  ],
  [
    "UTF-16",
    (w) => patchRequest(w, { body: Buffer.from('{"description":"seen"}', "utf16le") }),
    400,
    unchangedDescription,
  ],
  [
    "no UTF-8",
    (w) => patchRequest(w, { body: Buffer.from('{"description":"\xff"}', "latin1") }),
    400,
    unchangedDescription,
  ],
  [
    "two objects",
    (w) => patchRequest(w, { body: '{"description":"seen"}{"description":"x"}' }),
    400,
    unchangedDescription,
  ],
  [
    "a list",
    (w) => patchRequest(w, { body: '[{"description":"seen"}]' }),
    400,
    unchangedDescription,
  ],
  ["null", (w) => patchRequest(w, { body: "null" }), 400, unchangedDescription],
  [
    "a comment",
    (w) => patchRequest(w, { body: '{"description":"seen"}//' }),
    400,
    unchangedDescription,
  ],
  [
    "a form",
    (w) =>
      patchRequest(w, {
        body: "description=seen",
        headers: [["content-type", "application/x-www-form-urlencoded"]],
      }),
    400,
    unchangedDescription,
  ],
  [
    "JSON that is called a form",
    (w) => patchRequest(w, { headers: [["content-type", "application/x-www-form-urlencoded"]] }),
    200,
    "seen",
  ],
  [
    "JSON that is called XML",
    (w) => patchRequest(w, { headers: [["content-type", "application/xml"]] }),
    200,
    "seen",
  ],
  [
    "two content types",
    (w) =>
      patchRequest(w, {
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
    (w) => patchRequest(w, { headers: [["content-encoding", "gzip"]] }),
    400,
    unchangedDescription,
  ],
  [
    "a GET with a body",
    (w) => ({ path: `/registry/v2/repos/${w.mine}`, body: json({ uid: w.alien }) }),
    200,
    unchangedDescription,
  ],
  [
    "a DELETE with another's uid as body",
    (w) => ({
      method: "DELETE",
      path: `/registry/v2/repos/${w.mine}`,
      body: json({ uid: w.alien }),
    }),
    200,
    deletedDescription,
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
export const overConnect: SmuggledRequest[] = [
  [
    "a key twice, the last another's",
    (w) => connect("DeleteRepo", `{"uid":"${w.mine}","uid":"${w.alien}"}`),
    400,
    unchangedDescription,
  ],
  [
    "a key twice, the caller's own uid last",
    (w) => connect("DeleteRepo", `{"uid":"${w.alien}","uid":"${w.mine}"}`),
    400,
    unchangedDescription,
  ],
  [
    "a field of both wires twice",
    (w) => connect("DeleteRepo", wire(w.alien, w.mine), "application/proto"),
    200,
    deletedDescription,
  ],
  [
    "a field of both wires twice, the last another's",
    (w) => connect("DeleteRepo", wire(w.mine, w.alien), "application/proto"),
    403,
    unchangedDescription,
  ],
  [
    "JSON that is called a message",
    (w) => connect("DeleteRepo", json({ uid: w.mine }), "application/proto"),
    400,
    unchangedDescription,
  ],
  [
    "a message that is called JSON",
    (w) => connect("DeleteRepo", wire(w.mine), "application/json"),
    400,
    unchangedDescription,
  ],
  [
    "another vendor's name before the package",
    (w) => ({
      ...connect("DeleteRepo", json({ uid: w.mine })),
      path: "/evil.platform.registry.v2.ReposService/DeleteRepo",
    }),
    404,
    unchangedDescription,
  ],
  [
    "the method in lower case",
    (w) => connect("deleterepo", json({ uid: w.mine })),
    404,
    unchangedDescription,
  ],
  [
    "a GET with the message in the query",
    (w) => ({
      path: `/platform.registry.v2.ReposService/DeleteRepo?encoding=json&message=${encodeURIComponent(json({ uid: w.mine }))}`,
    }),
    405,
    unchangedDescription,
  ],
  [
    "a percent-encoded service",
    (w) => ({
      ...connect("DeleteRepo", json({ uid: w.mine })),
      path: "/platform.registry.v2.ReposService%2FDeleteRepo",
    }),
    404,
    unchangedDescription,
  ],
];

/** Uids as field 1 of a message, one after another. */
const wire = (...uids: string[]) =>
  Buffer.concat(
    uids.map((uid) => Buffer.concat([Buffer.from([0x0a, uid.length]), Buffer.from(uid)])),
  );
