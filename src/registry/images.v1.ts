import { and, eq, sql } from "drizzle-orm";
import { ImageConfigSchema } from "../../schema/gen/platform/registry/images_pb.js";
import { manifests } from "../../schema/tables/manifests.ts";
import { type FieldViolation, invalidArguments, unimplemented } from "../aip/errors.ts";
import { isUid, uidForm } from "../aip/uid_path.ts";
import { messageOf } from "../aip/well_formed.ts";
import { authorizeAndRead } from "../auth/access.ts";
import { callV2, orEmpty } from "../rpc/version1.ts";
import { imageOf, imagesService } from "./images.ts";
import type { Part } from "./registry_methods.v1.ts";

/** The form of an image's digest, as the protos of version 2 write it. */
export const digestForm = "^sha256:[0-9a-f]{64}$";
const digestPattern = new RegExp(digestForm);
const mostArchitecture = 64;

/** The rules of version 2 for what names an image, for RPCs that it has not; `at` names the fields. */
export function violationsOf(
  { digest, arch }: { digest: string; arch: string },
  at = { digest: "digest", arch: "arch" },
): FieldViolation[] {
  const violations: FieldViolation[] = [];
  const expect = (isGood: boolean, field: string, rule: string) => {
    if (!isGood) violations.push({ field, description: `${field} ${rule}` });
  };
  expect(digestPattern.test(digest), at.digest, `must match "${digestForm}"`);
  expect(
    arch.length <= mostArchitecture,
    at.arch,
    `must be at most ${mostArchitecture} characters`,
  );
  return violations;
}

/** Throws INVALID_ARGUMENT for what names no image of a repo. */
export function checkImage(image: { repoId: string; digest: string; arch: string }): void {
  const violations = violationsOf(image);
  if (!isUid(image.repoId)) {
    violations.unshift({ field: "repo_id", description: `repo_id must match "${uidForm}"` });
  }
  if (violations.length > 0) throw invalidArguments(violations);
}

const names = { repo_uid: "repo_id", architecture: "arch" };

export const imagesV1 = {
  async getImageConfig({ repoId, digest, arch, registry }, call) {
    checkImage({ repoId, digest, arch });
    const image = imageOf(repoId, sql`${digest}`, sql`${arch}`);
    const { rows } = await authorizeAndRead(call, repoId, [
      call.db
        .select({ config: manifests.config })
        .from(manifests)
        .where(and(eq(manifests.parent, repoId), eq(manifests.digest, image))),
    ]);
    if (registry) {
      throw unimplemented(
        "registry: there is no registry behind this service to read the configuration from",
      );
    }
    const [[row]] = rows;
    return row?.config ? messageOf(ImageConfigSchema, row.config) : {};
  },

  async getArchs({ repoId: repoUid, digest }, call) {
    const request = { repoUid, digest };
    const read = callV2(imagesService, "getArchitectures", request, call, { names });
    const { architectures } = { architectures: [], ...(await orEmpty(read)) };
    return { archs: architectures };
  },

  async getSize({ repoId: repoUid, digest, arch: architecture }, call) {
    const request = { repoUid, digest, architecture };
    const read = callV2(imagesService, "getSize", request, call, { names });
    const { size, architecture: arch } = { size: 0n, architecture: "", ...(await orEmpty(read)) };
    return { size, arch };
  },
} satisfies Part;
