import { unimplemented } from "../aip/errors.ts";
import type { Part } from "./registry.v1.ts";

export const sbomsV1 = {
  async getSbom() {
    throw unimplemented("soon");
  },
  async getRawSbom() {
    throw unimplemented("soon");
  },
} satisfies Part;
