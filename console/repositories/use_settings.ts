/** Changes of the settings of a repository. */
import { useState } from "preact/hooks";
import type { Client, Repo } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { useUnchanged } from "../data/unchanged.ts";

type Changes = Parameters<Client["repos"]["update"]>[1];

/**
 * The values of a form, which are those of the repository until the person edits them. A change shows at once, and the
 * notice about it offers the old values. A refused change leaves the texts in the form, so that they can be corrected.
 */
export function useSettings<Values extends object>(
  repo: Repo,
  fields: readonly (keyof Changes & keyof Repo)[],
  before: Values,
) {
  const client = useClient();
  const { uid } = repo;
  const [edits, setEdits] = useState<Partial<Values>>({});
  const write = useUnchanged(repo, (of) => client.repos.get(of), Object.keys(edits).length > 0);
  const saving = useChange<Changes, Repo>({
    key: ["repos", uid],
    call: (changes) => write((options) => client.repos.update(uid, changes, options)),
    expect: (shown, changes) => ({ ...shown, ...(changes as Partial<Repo>) }),
    done: () => "Saved the settings.",
    reverse: (shown) =>
      shown && Object.fromEntries(fields.map((field) => [field, shown[field] ?? null])),
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
