/** The names of capabilities: `repo.list` on the command line, and CAP_REPO_LIST in the API. */
import { valuesOf } from "./catalog.ts";

/** Returns every capability, with its name in the API and its word on the command line. */
export const capabilityValues = () => valuesOf("platform.capabilities.v1.Capability");

/** Returns the word for a capability of the API. A capability that this version does not know keeps its name. */
export const capabilityWord = (name: unknown): string =>
  capabilityValues().find((capability) => capability.name === name)?.word ?? String(name);
