/** Creates a repository with the first push to it. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  CreateRepoRequestSchema,
  ReposService,
} from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { aborted } from "../aip/errors.ts";
import { createRepo } from "../registry/repos/repos.ts";
import { deniedTo, type Reach } from "./access.ts";
import type { RegistryBearer } from "./bearer.ts";
import { callOf } from "./calls.ts";
import type { RegistryContext } from "./context.ts";
import { denied, isMirror, nameInvalid } from "./errors.ts";
import { findMirror } from "./mirror/setting.ts";
import { type ImageName, selectRepositoryPath, toRepositoryPath } from "./repository.ts";

/** The longest name of a repository in its group. */
const maxNameLength = 255;

/**
 * The uid of the repository. If it does not exist, it is created in the last existing group of its name.
 * Throws DENIED if the caller may not create it.
 */
export async function requireRepository(
  context: RegistryContext,
  bearer: RegistryBearer,
  { repositoryPath }: Reach,
  image: ImageName,
): Promise<string> {
  if (repositoryPath.repo !== undefined) return repositoryPath.repo;
  if (repositoryPath.rest.length > maxNameLength) {
    throw nameInvalid(`the name of the repository must have at most ${maxNameLength} characters`);
  }
  if (await findMirror(context, repositoryPath, "")) throw isMirror(image);
  const call = callOf(context, bearer, { guards: new Map() }, ReposService.method.createRepo);
  const request = create(CreateRepoRequestSchema, {
    parent: repositoryPath.accessUid,
    repo: { name: repositoryPath.rest },
  });
  try {
    const { uid } = await createRepo(request, call);
    return uid;
  } catch (thrown) {
    if (!(thrown instanceof ConnectError)) throw thrown;
    if (thrown.code === Code.PermissionDenied) {
      const text = `there is no repository ${image.full}, and to create it you need the capability repo.create on its group`;
      if (!bearer.credential) throw denied(text);
      const capabilities = [Capability.CAP_REPO_CREATE];
      const asked = { image, method: "create", capabilities };
      throw await deniedTo(context, bearer.credential, asked, text);
    }
    // Another push has just created it.
    const createdRepo =
      thrown.code === Code.AlreadyExists
        ? toRepositoryPath(await selectRepositoryPath(context.db, image)).repo
        : undefined;
    if (createdRepo !== undefined) return createdRepo;
    if (thrown.code !== Code.AlreadyExists) throw thrown;
    throw aborted("another request has just deleted the repository; send this one again");
  }
}
