import { unimplemented } from "../aip/errors.ts";
import type { Part } from "./registry.v1.ts";

export const manifestsV1 = {
  async listManifestMetadata() {
    throw unimplemented("soon");
  },
  async getManifestDigestCount() {
    throw unimplemented("soon");
  },
} satisfies Part;
