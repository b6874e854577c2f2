/** Reads from D1, with every request, what an identity may do with an image. */
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { isUid } from "../aip/uid_path.ts";
import { type Caller, holds } from "../auth/grants.ts";
import type { RegistryContext } from "./context.ts";
import type { ImageName } from "./repository.ts";

/** The capabilities that each action of a token scope needs. */
const capabilitiesByAction: Record<string, number[]> = {
  pull: [Capability.CAP_REPO_LIST, Capability.CAP_TAG_LIST],
  push: [Capability.CAP_MANIFEST_CREATE],
  delete: [Capability.CAP_MANIFEST_DELETE],
};

/** The actions in a list that the caller may take at the uid. An unknown action is never allowed. */
export const allowedActions = (caller: Caller, actions: string[], uid: string) =>
  actions.filter((action) => {
    const needed = Object.hasOwn(capabilitiesByAction, action)
      ? capabilitiesByAction[action]
      : undefined;
    return needed !== undefined && uid !== "" && holds(caller, needed, uid);
  });

/** The tags of public images that anyone may see (specification: Authentication, rule 3). */
const publicTags = ["latest", "latest-dev"];

/** Whether anyone may pull the image. */
export const isPublicImage = ({ config }: RegistryContext, { namespace }: ImageName) =>
  namespace === config.publicNamespace;

/** Whether anyone may see the tag of a public image. */
export const isPublicTag = (tag: string) => publicTags.includes(tag);

/**
 * A hint in the error for an organization that is not named by its uid. It depends only on the name, so it is
 * the same whether or not the organization exists.
 */
export const namingHint = (context: RegistryContext, image: ImageName) =>
  isUid(image.namespace) || isPublicImage(context, image)
    ? ""
    : `; ${image.namespace} works only for a verified organization of that name; address any other by its uid`;
