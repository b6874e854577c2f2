/** Changes of the settings of a repository. */
import { useState } from "preact/hooks";
import type { Client, Repo } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";

type Changes = Parameters<Client["repos"]["update"]>[1];

/**
 * The values of a form, which are those of the repository until the person edits them. A change shows at once, and the
 * notice about it offers the old values. A refused change leaves the texts in the form, so that they can be corrected.
 */
export function useSettings<Values extends object>(
  uid: string,
  fields: readonly (keyof Changes & keyof Repo)[],
  before: Values,
) {
  const client = useClient();
  const [edits, setEdits] = useState<Partial<Values>>({});
  const saving = useChange<Changes, Repo>({
    key: ["repos", uid],
    call: (changes) => client.repos.update(uid, changes),
    expect: (repo, changes) => ({ ...repo, ...(changes as Partial<Repo>) }),
    done: () => "Saved the settings.",
    reverse: (repo) =>
      repo && Object.fromEntries(fields.map((field) => [field, repo[field] ?? null])),
  });
  return {
    values: { ...before, ...edits },
    edit: (changed: Partial<Values>) => setEdits((all) => ({ ...all, ...changed })),
    saving,
    save: (changes: Changes) => saving.mutate(changes, { onSuccess: () => setEdits({}) }),
  };
}

/** The lines of a text without empty ones. */
export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
