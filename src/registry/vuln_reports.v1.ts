import { unimplemented } from "../aip/errors.ts";
import type { Part } from "./registry.v1.ts";

export const vulnReportsV1 = {
  async getVulnReport() {
    throw unimplemented("soon");
  },
} satisfies Part;
