import { unimplemented } from "../aip/errors.ts";
import type { Part } from "./registry.v1.ts";

export const imagesV1 = {
  async getImageConfig() {
    throw unimplemented("soon");
  },
  async getArchs() {
    throw unimplemented("soon");
  },
  async getSize() {
    throw unimplemented("soon");
  },
} satisfies Part;
