import { unimplemented } from "../aip/errors.ts";
import type { Part } from "./registry.v1.ts";

export const tagsV1 = {
  async createTag() {
    throw unimplemented("soon");
  },
  async updateTag() {
    throw unimplemented("soon");
  },
  async deleteTag() {
    throw unimplemented("soon");
  },
  async listTags() {
    throw unimplemented("soon");
  },
  async getRepoTagsSummary() {
    throw unimplemented("soon");
  },
} satisfies Part;
