/** Converts tags of version 2 to messages of version 1, and back. */

import { type Tag, TagSchema } from "../../../schema/gen/platform/registry/tags_pb.js";
import type { Tag as TagV2 } from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import { wholeMessage } from "../../aip/whole_message.ts";

export function tagToV1({ uid: id, name, digest, deprecated, bundles, updateTime }: TagV2): Tag {
  return wholeMessage(TagSchema, {
    id,
    name,
    digest,
    deprecated,
    bundles,
    lastUpdated: updateTime,
  });
}

/** The fields that a client can set. */
export const tagToV2 = ({ name, digest, deprecated, bundles }: Tag) => ({
  name,
  digest,
  deprecated,
  bundles,
});
