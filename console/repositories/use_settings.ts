/** Changes of the settings of a repository. */
import { type Client, InvalidArgument, type Repo } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";

type Changes = Parameters<Client["repos"]["update"]>[1];

/** Returns the mutation. The page shows the new values at once, and the notice offers the old ones. */
export function useSettings(uid: string, fields: readonly (keyof Changes & keyof Repo)[]) {
  const client = useClient();
  return useChange<Changes, Repo>({
    key: ["repos", uid],
    call: (changes) => client.repos.update(uid, changes),
    expect: (repo, changes) => ({ ...repo, ...(changes as Partial<Repo>) }),
    done: () => "Saved the settings.",
    reverse: (before) =>
      before && Object.fromEntries(fields.map((field) => [field, before[field] ?? null])),
  });
}

/** The error of the platform for a field, or about the first wrong value or member in it. */
export function violationIn(error: Error | null, field: string): string | undefined {
  if (!(error instanceof InvalidArgument)) return undefined;
  const pattern = new RegExp(`(?:^|\\.)${field}(?:$|[.[])`);
  return error.fieldViolations.find((one) => pattern.test(one.field))?.description;
}

/** Whether no field of a form can show the error. */
export const isElsewhere = (error: Error | null, fields: readonly string[]): error is Error =>
  error !== null && fields.every((field) => violationIn(error, field) === undefined);

/** The lines of a text without empty ones. */
export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
