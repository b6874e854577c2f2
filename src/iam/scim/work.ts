/** Counts the work of a PATCH while it is done. */
import { ScimError } from "./errors.ts";
import { scimLimits } from "./limits.ts";

/** Characters of text that cost as much as a value. */
const charactersPerStep = 256;

/**
 * Steps of one request. A step is one look at a value of a list, or at 256 characters of a text. So the
 * steps bound the time of any operations.
 */
export class WorkBudget {
  steps = 0;
  readonly #most: number;

  constructor(most: number = scimLimits.patchSteps) {
    this.#most = most;
  }

  /** Counts a look at each of `values` values, and at `characters` of text. Throws 413 beyond the most. */
  spend(values: number, characters = 0): void {
    this.steps += values + Math.floor(characters / charactersPerStep);
    if (this.steps > this.#most) {
      throw new ScimError(413, "the operations look at too many values; send fewer at a time");
    }
  }
}
