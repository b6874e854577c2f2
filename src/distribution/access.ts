/** What an identity may do with an image, read from D1 with every request. */
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

/** The actions of a list that the caller may take at the uid; unknown ones nobody may. */
export const allowedActions = (caller: Caller, actions: string[], uid: string) =>
  actions.filter((action) => {
    const needed = Object.hasOwn(capabilitiesByAction, action)
      ? capabilitiesByAction[action]
      : undefined;
    return needed !== undefined && uid !== "" && holds(caller, needed, uid);
  });

/** The tags of public images that everyone may see (specification: Authentication, rule 3). */
const publicTags = ["latest", "latest-dev"];

/** Whether the image is one that everyone may pull. */
export const isPublicImage = ({ config }: RegistryContext, { namespace }: ImageName) =>
  namespace === config.publicNamespace;

/** Whether everyone may see the tag of a public image. */
export const isPublicTag = (tag: string) => publicTags.includes(tag);

/**
 * What a refusal adds for an organization that is named by another word than its uid. It follows from the
 * name alone: the same for an organization that is there and for one that is not.
 */
export const namingHint = (context: RegistryContext, image: ImageName) =>
  isUid(image.namespace) || isPublicImage(context, image)
    ? ""
    : `; ${image.namespace} stands for a verified organization of that name, any other is named by its uid`;
