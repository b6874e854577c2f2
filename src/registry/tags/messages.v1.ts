/** Converts tags of version 2 to messages of version 1, and back. */
import { create } from "@bufbuild/protobuf";
import { type Tag, TagSchema } from "../../../schema/gen/platform/registry/tags_pb.js";
import type { Tag as TagV2 } from "../../../schema/gen/platform/registry/v2/tags_pb.js";

export function tagToV1({ uid: id, name, digest, deprecated, bundles, updateTime }: TagV2): Tag {
  const lastUpdated = updateTime && { lastUpdated: updateTime };
  return create(TagSchema, { ...{ id, name, digest, deprecated, bundles }, ...lastUpdated });
}

/** The fields that a client can set. */
export const tagToV2 = ({ name, digest, deprecated, bundles }: Tag) => ({
  ...{ name, digest, deprecated, bundles },
});
