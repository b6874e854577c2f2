import { unimplemented } from "../aip/errors.ts";
import type { Part } from "./registry.v1.ts";

export const reposV1 = {
  async createRepo() {
    throw unimplemented("soon");
  },
  async updateRepo() {
    throw unimplemented("soon");
  },
  async listRepos() {
    throw unimplemented("soon");
  },
  async getRepoCountBySource() {
    throw unimplemented("soon");
  },
  async deleteRepo() {
    throw unimplemented("soon");
  },
} satisfies Part;
