import { unimplemented } from "../aip/errors.ts";
import type { Part } from "./registry.v1.ts";

export const eolTagsV1 = {
  async listEolTags() {
    throw unimplemented("soon");
  },
} satisfies Part;
