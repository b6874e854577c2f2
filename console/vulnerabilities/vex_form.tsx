/** The form that states whether a vulnerability affects an image or a repository. */
import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useMemo, useState } from "preact/hooks";
import type { Finding } from "../../client/index.ts";
import { shortDigest } from "../data/digests.ts";
import { useMay } from "../data/may.ts";
import { useClient, useSessionState } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { parentOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { formatCount } from "../elements/bytes.ts";
import { SelectField, TextField, violationOf } from "../elements/fields.tsx";
import { FormDialog } from "../elements/form_dialog.tsx";
import { useNotify } from "../elements/notices.tsx";
import { matchingKey } from "./matching.tsx";
import {
  changedBy,
  coveredBy,
  type Draft,
  documentOf,
  isClosing,
  type Justification,
  justifications,
  noteFields,
  statuses,
  targetsOf,
  type VexTarget,
} from "./vex_statement.ts";

interface VexProps {
  findings: readonly Finding[];
  /** Whether the platform can have more findings than these. */
  isPart: boolean;
}

/** The button. `group` is the uid of the group that the page shows, and `name` its name. */
export function VexButton({
  group,
  name,
  ...props
}: VexProps & { group: string; name: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const needed = ["CAP_ADVISORIES_CREATE", "CAP_ADVISORIES_UPDATE"] as const;
  const refusal = refusalOf(useMay(group), name ?? "", ...needed);
  if (props.findings.length === 0) return null;
  return (
    <>
      <Button refusal={refusal} onClick={() => setOpen(true)}>
        State the impact
      </Button>
      {isOpen && <VexDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

/** The most characters of a note. The platform cuts a longer one. */
const maxNote = 30_000;

function refusalIn({ status, justification, note }: Draft): string | undefined {
  if (status === "not_affected" && justification === "")
    return "Choose why it is not affected first.";
  if (status === "affected" && note.trim() === "") return "Say what to do about it first.";
  return note.length > maxNote
    ? `A note has at most ${formatCount(maxNote)} characters.`
    : undefined;
}

function VexDialog({ findings, isPart, onClose }: VexProps & { onClose: () => void }) {
  const targets = useMemo(() => targetsOf(findings), [findings]);
  const [chosen, choose] = useState("");
  const [draft, setDraft] = useState<Omit<Draft, "target">>({
    status: "not_affected",
    justification: "",
    note: "",
  });
  // The list can change while the form is open, so the choice is not a position in it.
  const target = targets.find((one) => keyOf(one) === chosen) ?? targets[0];
  const saving = useStatement(onClose);
  if (!target) return null;
  const whole = { ...draft, target };
  const covered = coveredBy(target, findings);
  return (
    <FormDialog
      title="State the impact"
      action="Save the statement"
      change={saving}
      fields={["justification", "action_statement"]}
      refusal={refusalIn(whole)}
      onSubmit={() => saving.mutate({ draft: whole, covered })}
      onClose={onClose}
    >
      <SelectField
        label="Image or repository"
        value={keyOf(target)}
        options={targets.map((one) => [keyOf(one), targetText(one)])}
        onChange={choose}
      />
      <StatusFields
        draft={whole}
        error={saving.error}
        onChange={(part) => setDraft({ ...draft, ...part })}
      />
      <Effect draft={whole} covered={covered} isPart={isPart} />
    </FormDialog>
  );
}

const keyOf = ({ repoUid, digest }: VexTarget) => `${repoUid}@${digest}`;

function targetText({ repoName, digest, tags }: VexTarget): string {
  if (digest === "") return `${repoName}: all images`;
  const leading = tags.length === 0 ? "no tag" : tags.slice(0, 3).join(", ");
  return `${repoName}@${shortDigest(digest)} (${leading})`;
}

/** Sends the statement to the group of the repository. If the platform refuses it, the form keeps its content. */
function useStatement(onSaved: () => void) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const session = useSessionState();
  const author = session.kind === "signed-out" ? "" : session.name.trim() || session.uid;
  return useMutation({
    mutationFn: ({ draft, covered }: { draft: Draft; covered: readonly Finding[] }) => {
      const id = `urn:uuid:${crypto.randomUUID()}`;
      return client.openVexDocuments.importOpenVexDocuments({
        parent: parentOf(draft.target.repoUid),
        documents: [documentOf(draft, covered, { id, author, now: Date.now() })],
        strict: true,
      });
    },
    onSuccess: (_, { draft: { status, target } }) => {
      const [, word = ""] = statuses.find(([name]) => name === status) ?? [];
      notify({ text: `Saved for ${target.repoName}: ${word.toLowerCase()}.` });
      for (const key of ["advisories", "findings", matchingKey])
        void queries.invalidateQueries({ queryKey: [key] });
      onSaved();
    },
  });
}

interface StatusProps {
  draft: Draft;
  error: Error | null;
  onChange: (part: Partial<Draft>) => void;
}

function StatusFields({ draft: { status, justification, note }, error, onChange }: StatusProps) {
  return (
    <>
      <SelectField
        label="Status"
        value={status}
        options={statuses}
        onChange={(next) => onChange({ status: next })}
      />
      {status === "not_affected" && (
        <SelectField<Justification | "">
          label="Why it is not affected"
          value={justification}
          options={[["", "Choose a reason"], ...justifications]}
          error={violationOf(error, "justification")}
          onChange={(next) => onChange({ justification: next })}
        />
      )}
      {noteFields[status] && (
        <TextField
          label={status === "affected" ? "What to do about it" : "Note"}
          lines={3}
          value={note}
          error={violationOf(error, "action_statement")}
          onInput={(text) => onChange({ note: text })}
        />
      )}
    </>
  );
}

const imagesIn = (rows: readonly Finding[]) =>
  new Set(rows.map(({ repoUid, digest }) => `${repoUid}@${digest}`)).size;

const counted = (count: number, noun: string) =>
  `${formatCount(count)} ${count === 1 ? noun : `${noun}s`}`;

/** The findings that the statement would end or open again. */
function Effect({
  draft: { status, target },
  covered,
  isPart,
}: {
  draft: Draft;
  covered: readonly Finding[];
  isPart: boolean;
}) {
  const changed = changedBy(status, covered);
  const verb = isClosing(status) ? "ends" : "opens again";
  const size = `${counted(changed.length, "finding")} in ${counted(imagesIn(changed), "image")}`;
  return (
    <div class="vulnerabilities-effect" role="status">
      <p>
        {changed.length === 0 ? (
          "It ends no finding, and opens none again."
        ) : (
          <>
            It {verb} <b>{size}</b>
            {isPart && ", and perhaps more that are not shown"}.
          </>
        )}
      </p>
      {changed.length > 0 && <Changed rows={changed} />}
      {target.digest === "" && (
        <p class="hint">
          It also counts for later images, and for repositories of this name in groups below.
        </p>
      )}
    </div>
  );
}

/** The findings that show. There can be thousands. */
const maxShown = 5;

const Changed = ({ rows }: { rows: readonly Finding[] }) => (
  <ul>
    {rows.slice(0, maxShown).map(({ uid, repoName, digest = "", package: affected }) => (
      <li key={uid}>
        <bdi>
          {affected?.name} {affected?.version}
        </bdi>{" "}
        in <bdi>{repoName}</bdi>@{shortDigest(digest)}
      </li>
    ))}
    {rows.length > maxShown && <li>{formatCount(rows.length - maxShown)} more</li>}
  </ul>
);
