/** The editor of a readme: Markdown next to what it looks like. */
import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";
import type { RepoReadme } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { useSettled } from "../data/settled.ts";
import { Button } from "../elements/button.tsx";
import { formatBytes } from "../elements/bytes.ts";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { TextField, violationOf } from "../elements/fields.tsx";
import { Loading } from "../elements/states.tsx";
import { Readme } from "./readme.tsx";

/** In milliseconds without a key before the preview is rendered again. */
const pause = 500;

/** The most bytes that the platform accepts. */
const maxBytes = 524_288;

/** The texts that are not saved, by repository, for a person who looks at another page in between. */
const drafts = new Map<string, string>();

interface EditorProps {
  repoUid: string;
  /** The stored text. */
  content: string;
  onClose: () => void;
}

/** The platform renders the preview, with the rules that it applies when the readme is saved. */
export function ReadmeEditor({ repoUid, content, onClose }: EditorProps) {
  const client = useClient();
  const queries = useQueryClient();
  const [start] = useState(content);
  const [text, setText] = useState(drafts.get(repoUid) ?? content);
  const preview = usePreview(repoUid, text);
  const saving = useChange<string, RepoReadme>({
    key: ["repos", repoUid, "readme"],
    call: async (input) => {
      await client.repos.updateRepoReadme({ repoReadme: { uid: repoUid, content: input } });
      await queries.refetchQueries({ queryKey: ["repos", repoUid, "readme"] });
      drafts.delete(repoUid);
      onClose();
    },
    done: () => "Saved the readme.",
  });
  const isChanged = text !== content;
  useLeaveWarning(isChanged);
  const change = (next: string) => {
    drafts.set(repoUid, next);
    setText(next);
  };
  const close = () => {
    drafts.delete(repoUid);
    onClose();
  };
  const bytes = new TextEncoder().encode(text).length;
  const tooLong =
    bytes > maxBytes
      ? `A readme has at most ${formatBytes(maxBytes)}; this one has ${formatBytes(bytes)}.`
      : undefined;
  const violation =
    tooLong ?? violationOf(saving.error, "content") ?? violationOf(preview.error, "content");
  return (
    <form
      class="repositories-editor"
      onSubmit={(event) => {
        event.preventDefault();
        if (tooLong === undefined) saving.mutate(text);
      }}
    >
      {start !== content && (
        <p class="repositories-note" role="status">
          Someone else has changed the readme since you began. If you save, your text replaces
          theirs.
        </p>
      )}
      <div class="repositories-editor-sides">
        <TextField
          label="Markdown"
          hint="GitHub-flavored Markdown. Images from elsewhere appear as their text."
          lines={18}
          value={text}
          onInput={change}
          error={violation}
        />
        <section class="repositories-preview" aria-label="Preview" aria-busy={preview.isFetching}>
          <h2>Preview</h2>
          <PreviewContent preview={preview} isViolated={violation !== undefined} />
        </section>
      </div>
      {saving.error && violation === undefined && <ErrorNotice error={saving.error} />}
      <footer class="dialog-actions">
        <Button onClick={close}>Cancel</Button>
        <Button
          type="submit"
          kind="primary"
          busy={saving.isPending}
          refusal={isChanged ? undefined : "Nothing has changed yet."}
        >
          Save
        </Button>
      </footer>
    </form>
  );
}

type Preview = ReturnType<typeof usePreview>;

/** The last preview stays until the next one has come. */
function usePreview(repoUid: string, text: string) {
  const client = useClient();
  const settled = useSettled(text, pause);
  return useQuery({
    queryKey: ["readme preview", repoUid, settled],
    queryFn: async () => {
      const { html = "" } = await client.readmes.renderReadme({ repoUid, content: settled });
      return html;
    },
    placeholderData: (before: string | undefined) => before,
    gcTime: 0,
  });
}

function PreviewContent({ preview, isViolated }: { preview: Preview; isViolated: boolean }) {
  const { data, error, refetch } = preview;
  if (error && isViolated)
    return <p class="pale">There is no preview until the error in the text is corrected.</p>;
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  if (data === "") return <p class="pale">Nothing to show yet.</p>;
  return <Readme html={data} />;
}

/** The browser asks before it leaves the page with a text that is not saved. */
function useLeaveWarning(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isChanged]);
}
