/** Counts the work of a PATCH while it runs. */
import { ScimError } from "./errors.ts";
import { scimLimits } from "./limits.ts";

/** The characters of text that cost as much as a value. */
const charactersPerStep = 256;

/**
 * The steps of one request. A step reads a value of a list, or 256 characters of a text. The number of steps
 * therefore limits the time of any operations.
 */
export class WorkBudget {
  steps = 0;
  readonly #most: number;

  constructor(most: number = scimLimits.patchSteps) {
    this.#most = most;
  }

  /** Counts a read of each of `values` values, and of `characters` of text. Throws 413 above the limit. */
  spend(values: number, characters = 0): void {
    this.steps += values + Math.floor(characters / charactersPerStep);
    if (this.steps > this.#most) {
      throw new ScimError(413, "the operations read too many values; send fewer at a time");
    }
  }
}
