/** Errors in the forms that pages need. */
import { NotFound } from "../../client/index.ts";

/** What was thrown, as an error. JavaScript can throw anything. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** The answer, or null if the platform says that there is nothing with this uid. */
export const unlessMissing = <Data>(asked: Promise<Data>): Promise<Data | null> =>
  asked.catch((error: unknown) => {
    if (error instanceof NotFound) return null;
    throw error;
  });
