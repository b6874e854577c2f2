/** The filter on one image of a repository. */
import type { UIDPFilter } from "../../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import { invalidArgument } from "../../aip/errors.ts";

/**
 * The repository and the digest of the image that a request names. Undefined if it names none. Throws
 * INVALID_ARGUMENT for `digest` without a repository: only the digests of one repository are in an index.
 */
export function readImageFilter(request: { digest: string; uidp?: UIDPFilter | undefined }) {
  const { digest, uidp } = request;
  if (digest === "") return undefined;
  const repo = uidp?.childrenOf ?? "";
  if (repo === "") {
    const text = "digest needs a repository; send its uid as uidp.children_of too";
    throw invalidArgument("digest", text);
  }
  return { repo, digest };
}
