import { unimplemented } from "../aip/errors.ts";
import type { Part } from "./registry.v1.ts";

export const tagHistoryV1 = {
  async listTagHistory() {
    throw unimplemented("soon");
  },
} satisfies Part;
