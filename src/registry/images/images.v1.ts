import { and, eq, sql } from "drizzle-orm";
import { ImageConfigSchema } from "../../../schema/gen/platform/registry/images_pb.js";
import { blobLinks, blobs, ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import { digestBytes } from "../../../schema/tables/distribution/digest_column.ts";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { type FieldViolation, invalidArguments } from "../../aip/errors.ts";
import { isUid, uidPattern } from "../../aip/uid_path.ts";
import { patternViolation } from "../../aip/validation.ts";
import { messageFromStored } from "../../aip/well_formed.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import { callV2, emptyIfNotFound } from "../../rpc/version1.ts";
import type { RegistryHandlers } from "../registry_methods.v1.ts";
import { imageDigestSql, imagesService } from "./images.ts";

/** The form of an image's digest, as in the protos of version 2. */
export const digestPattern = "^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$";
const digestRegExp = new RegExp(digestPattern);
const maxArchitectureLength = 64;

/**
 * The rules of version 2 for identifying an image, for RPCs that version 2 does not have. `fields` has
 * their names in the request.
 */
export function imageViolations(
  { digest, arch }: { digest: string; arch: string },
  fields = { digest: "digest", arch: "arch" },
): FieldViolation[] {
  const violations: FieldViolation[] = [];
  if (!digestRegExp.test(digest)) {
    violations.push(patternViolation(fields.digest, digestPattern, digest));
  }
  if (arch.length > maxArchitectureLength) {
    const text = `${fields.arch} must have at most ${maxArchitectureLength} characters; you sent ${arch.length}`;
    violations.push({ field: fields.arch, description: text });
  }
  return violations;
}

/** SQL: that a manifest was pushed to the registry, and not only imported. */
const isInRegistry = sql`exists (select 1 from ${repoStorage} as repo, ${blobs} as blob, ${blobLinks} as link
  where repo.uid = ${manifests}.parent and blob.digest = ${digestBytes(sql`${manifests}.digest`)}
    and link.repo_id = repo.id and link.kind = ${ContentKind.manifest} and link.blob_id = blob.id)`;

/** Throws INVALID_ARGUMENT if the fields do not identify an image of a repository. */
export function checkImageName(image: { repoId: string; digest: string; arch: string }): void {
  const violations = imageViolations(image);
  if (!isUid(image.repoId)) {
    violations.unshift(patternViolation("repo_id", uidPattern, image.repoId));
  }
  if (violations.length > 0) throw invalidArguments(violations);
}

const fieldNames = { repo_uid: "repo_id", architecture: "arch" };

export const imagesV1 = {
  /** With `registry`, only images that were pushed have a configuration. It is the same as the stored one. */
  async getImageConfig({ repoId, digest, arch, registry }, call) {
    checkImageName({ repoId, digest, arch });
    const image = imageDigestSql(repoId, sql`${digest}`, sql`${arch}`);
    const { rows } = await authorizeAndRead(call, repoId, [
      call.db
        .select({ config: manifests.config })
        .from(manifests)
        .where(
          and(
            eq(manifests.parent, repoId),
            isPresent(manifests.parent),
            eq(manifests.digest, image),
            registry ? isInRegistry : undefined,
          ),
        ),
    ]);
    const [[row]] = rows;
    return row?.config ? messageFromStored(ImageConfigSchema, row.config) : {};
  },

  async getArchs({ repoId: repoUid, digest }, call) {
    const request = { repoUid, digest };
    const read = callV2(imagesService, "getArchitectures", request, call, { names: fieldNames });
    const { architectures } = { architectures: [], ...(await emptyIfNotFound(read)) };
    return { archs: architectures };
  },

  async getSize({ repoId: repoUid, digest, arch: architecture }, call) {
    const request = { repoUid, digest, architecture };
    const read = callV2(imagesService, "getSize", request, call, { names: fieldNames });
    const { size, architecture: arch } = {
      size: 0n,
      architecture: "",
      ...(await emptyIfNotFound(read)),
    };
    return { size, arch };
  },
} satisfies RegistryHandlers;
