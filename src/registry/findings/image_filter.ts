/** The filter on one image of a repository. */
import type { UIDPFilter } from "../../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import { invalidArgument } from "../../aip/errors.ts";
import { requestedScope } from "../../paging/requested_scope.ts";

/**
 * The repository and the digest of the image that a request names, and the request as it is listed. Undefined if the
 * request names no image. Throws INVALID_ARGUMENT for `digest` without a repository.
 *
 * The rows of an image are in the order of their uids in an index. Everything below a repository is its children, and a
 * range of uids, which is a part of that index.
 */
export function readImageFilter<Request extends { digest: string; uidp?: UIDPFilter | undefined }>(
  request: Request,
): { repo: string; digest: string; listed: Request } | undefined {
  const { digest, uidp } = request;
  if (digest === "") return undefined;
  const scope = requestedScope(uidp);
  if (!uidp || scope?.at !== "childrenOf") {
    const text = "digest needs a repository; send its uid as uidp.children_of too";
    throw invalidArgument("digest", text);
  }
  const { uid: repo } = scope;
  const listed = { ...request, uidp: { ...uidp, childrenOf: "", descendantsOf: repo } };
  return { repo, digest, listed };
}
