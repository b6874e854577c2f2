/** Imports advisories into a group. */
import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { type Client, InvalidArgument } from "../../client/index.ts";
import { asError } from "../data/errors.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { Button } from "../elements/button.tsx";
import { formatCount } from "../elements/bytes.ts";
import { Dialog } from "../elements/dialog.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Field, TextField } from "../elements/fields.tsx";
import {
  batchesOf,
  type DocumentFormat,
  formatNames,
  readDocuments,
  type SourceDocument,
  UnreadableFile,
} from "./documents.ts";
import { matchingKey } from "./matching.tsx";

/** The button. `name` is that of the group, for the reason why someone cannot import. */
export function ImportButton({ group, name }: { group: string; name: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const needed = ["CAP_ADVISORIES_CREATE", "CAP_ADVISORIES_UPDATE"] as const;
  const refusal = refusalOf(useMay(group), name ?? "", ...needed);
  return (
    <>
      <Button refusal={refusal} onClick={() => setOpen(true)}>
        Import advisories
      </Button>
      {isOpen && <ImportDialog group={group} onClose={() => setOpen(false)} />}
    </>
  );
}

/** The changes of an import, as the platform counts them: records of OSV, otherwise advisories. */
interface Counts {
  created: number;
  updated: number;
  unchanged: number;
}

/** The progress so far. */
interface Progress {
  counts: Map<DocumentFormat, Counts>;
  error?: Error;
  /** The documents of the call that failed. */
  failed?: readonly SourceDocument[];
  isDone: boolean;
}

const start: Progress = { counts: new Map(), isDone: false };

async function send(client: Client, parent: string, batch: readonly SourceDocument[]) {
  const documents = batch.map(({ document }) => document);
  // The person sees every fault, and decides what to leave out.
  const strict = true;
  switch (batch[0]?.format) {
    case "openvex":
      return client.openVexDocuments.importOpenVexDocuments({ parent, documents, strict });
    case "csaf":
      return client.csafDocuments.importCsafDocuments({ parent, documents, strict });
    default:
      return client.osvRecords.importOsvRecords({ parent, records: documents, strict });
  }
}

/** Imports the documents call by call, until one fails. */
async function importAll(
  client: Client,
  group: string,
  documents: readonly SourceDocument[],
): Promise<Progress> {
  const counts: Progress["counts"] = new Map();
  for (const batch of batchesOf(documents)) {
    const format = batch[0]?.format ?? "osv";
    try {
      const { created, updated, unchanged } = await send(client, group, batch);
      const before = counts.get(format) ?? { created: 0, updated: 0, unchanged: 0 };
      counts.set(format, {
        created: before.created + created,
        updated: before.updated + updated,
        unchanged: before.unchanged + unchanged,
      });
    } catch (thrown) {
      const error = asError(thrown);
      return { counts, error, failed: batch, isDone: false };
    }
  }
  return { counts, isDone: true };
}

function ImportDialog({ group, onClose }: { group: string; onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const [files, setFiles] = useState<readonly File[]>([]);
  const [text, setText] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [progress, setProgress] = useState(start);
  const isEmpty = files.length === 0 && text.trim() === "";
  const run = async () => {
    setBusy(true);
    try {
      const read = files.map(async (file) => readDocuments(await file.text(), file.name));
      const pasted = text.trim() === "" ? [] : readDocuments(text, "The text");
      const documents = [...(await Promise.all(read)).flat(), ...pasted];
      setProgress(await importAll(client, group, documents));
      for (const key of ["advisories", "findings", matchingKey])
        void queries.invalidateQueries({ queryKey: [key] });
    } catch (thrown) {
      const error = asError(thrown);
      setProgress({ ...start, error });
    }
    setBusy(false);
  };
  return (
    <Dialog title="Import advisories" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isEmpty && !isBusy) void run();
        }}
      >
        {!progress.isDone && (
          <>
            <p>
              Choose OSV records, OpenVEX documents or CSAF documents. You can repeat an import: it
              adds only what is new.
            </p>
            <Field label="Files" hint="JSON, or one document on each line">
              {(attributes) => (
                <input
                  {...attributes}
                  class="input"
                  type="file"
                  multiple
                  accept=".json,.jsonl,application/json"
                  onChange={({ currentTarget }) => setFiles([...(currentTarget.files ?? [])])}
                />
              )}
            </Field>
            <TextField label="Or paste a document" lines={5} value={text} onInput={setText} />
          </>
        )}
        <Result progress={progress} />
        <footer class="dialog-actions">
          <Button onClick={onClose}>{progress.isDone ? "Close" : "Cancel"}</Button>
          {!progress.isDone && (
            <Button
              kind="primary"
              type="submit"
              busy={isBusy}
              refusal={isEmpty ? "Choose a file or paste a document first." : undefined}
            >
              Import
            </Button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}

function Result({ progress: { counts, error, failed } }: { progress: Progress }) {
  return (
    <>
      {counts.size > 0 && (
        <ul class="vulnerabilities-counts" role="status">
          {[...counts].map(([format, { created, updated, unchanged }]) => (
            <li key={format}>
              {formatNames[format]}: {formatCount(created)} created, {formatCount(updated)} updated,{" "}
              {formatCount(unchanged)} unchanged
            </li>
          ))}
        </ul>
      )}
      {error instanceof UnreadableFile ? (
        <p class="field-error" role="alert">
          {error.message} Nothing was imported.
        </p>
      ) : (
        error && <ErrorNotice error={error} />
      )}
      {error instanceof InvalidArgument && failed && <Faults error={error} failed={failed} />}
    </>
  );
}

/** The faults that show. A document can have thousands. */
const maxFaults = 20;

/** The faults in the documents, each with the file instead of its number in the call. */
function Faults({ error, failed }: { error: InvalidArgument; failed: readonly SourceDocument[] }) {
  const faults = error.fieldViolations;
  const location = (field: string) => {
    const [, index = "", rest = ""] = /^(?:documents|records)\[(\d+)\]\.?(.*)$/s.exec(field) ?? [];
    const source = index === "" ? undefined : failed[Number(index)]?.source;
    return source === undefined ? field : [source, rest].filter(Boolean).join(": ");
  };
  return (
    <ul class="vulnerabilities-faults">
      {faults.slice(0, maxFaults).map(({ field, description }, index) => (
        <li key={index}>
          <bdi>{location(field)}</bdi>: <bdi>{description}</bdi>
        </li>
      ))}
      {faults.length > maxFaults && <li>{formatCount(faults.length - maxFaults)} more</li>}
    </ul>
  );
}
