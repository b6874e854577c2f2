/** The message of a key, and its row. */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Key, KeySchema } from "../../../schema/gen/platform/iam/v2/keys_pb.js";
import { keys } from "../../../schema/tables/iam/keys.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import { selectRow } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import type { Stored } from "../../resource/stored_row.ts";

/** Converts a stored row to a message, without the secret. */
export function toKey(row: Stored<typeof keys>): Key {
  return wholeMessage(KeySchema, {
    uid: row.uid,
    name: row.name,
    scopes: row.scopes,
    actions: row.actions,
    networks: row.networks,
    expireTime: timestampFromMs(row.expireTime),
    lastUsedTime: row.lastUsedTime === 0 ? undefined : timestampFromMs(row.lastUsedTime),
    creatorUid: row.creatorUid,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
    secret: "",
  });
}

export const key = resource({
  type: "iam/Key",
  schema: KeySchema,
  table: keys,
  select: selectRow(keys),
  toMessage: toKey,
  toColumns: ({ name, scopes, actions, networks }: Key) => ({ name, scopes, actions, networks }),
  otherFields: {
    expireTime: "computed",
    lastUsedTime: "computed",
    creatorUid: "computed",
    secret: "computed",
  },
  groupOf: (uid) => parentOf(parentOf(uid)),
});
