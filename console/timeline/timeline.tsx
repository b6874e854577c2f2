/** The whole life of a tag: a picture, the moment that the person chooses in it, and what changed between two. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { NotFound } from "../../client/index.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { parentOf, rootOf } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { TextField } from "../elements/fields.tsx";
import { Page } from "../elements/page.tsx";
import { Empty, Loading } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/lazy_page.tsx";
import { Pulls } from "../pulls/pulls.tsx";
import type { TagName } from "./history_loader.ts";
import { Life } from "./life.tsx";
import { useHistory } from "./use_history.ts";

export default function Timeline({ rest: uid }: PageProps) {
  const client = useClient();
  const { get } = useParameters();
  const repo = parentOf(uid);
  // The history of a tag remains when the tag is deleted. An address with its name can still show it.
  const name = get("name");
  const { data, error, refetch } = useQuery({
    queryKey: ["tags", uid],
    queryFn: () => client.tags.get(uid),
    enabled: name === "",
  });
  if (name !== "") return <TagPage key={uid} tag={{ repo, name }} isDeprecated={false} />;
  if (error && !data) return <NoTag repo={repo} error={error} retry={() => void refetch()} />;
  if (!data) return <Loading lines={8} />;
  const isDeprecated = data.deprecated === true;
  return <TagPage key={uid} tag={{ repo, name: data.name, uid }} isDeprecated={isDeprecated} />;
}

interface NoTagProps {
  repo: string;
  error: Error;
  retry: () => void;
}

/** The tag cannot be read. A deleted tag has no name any more, so the person has to give it. */
function NoTag({ repo, error, retry }: NoTagProps) {
  const { set } = useParameters();
  const [name, setName] = useState("");
  return (
    <Page
      title="Tag"
      path={[
        ["Repositories", addresses.repositories(rootOf(repo))],
        ["Repository", addresses.repository(repo)],
      ]}
    >
      <ErrorNotice error={error} retry={retry} />
      {error instanceof NotFound && (
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            set({ name: name.trim() });
          }}
        >
          <TextField
            label="Name of the deleted tag"
            hint="The history of a tag remains after the tag is deleted."
            value={name}
            onInput={setName}
            required
          />
          <Button type="submit">Show its history</Button>
        </form>
      )}
    </Page>
  );
}

function TagPage({ tag, isDeprecated }: { tag: TagName; isDeprecated: boolean }) {
  const client = useClient();
  const { repo, name } = tag;
  const repository = useQuery({ queryKey: ["repos", repo], queryFn: () => client.repos.get(repo) });
  const repoName = repository.data?.name ?? "";
  const title = repoName === "" ? name : `${repoName}:${name}`;
  return (
    <Page
      title={title}
      path={[
        ["Repositories", addresses.repositories(rootOf(repo))],
        [repoName || "Repository", addresses.repository(repo)],
      ]}
      actions={
        tag.uid !== undefined && (
          <Link class="button" href={addresses.compare(tag.uid)}>
            Compare with…
          </Link>
        )
      }
      {...(isDeprecated
        ? {
            lead: (
              <>
                <Badge tone="warn">End of life</Badge> This tag gets no new builds.
              </>
            ),
          }
        : {})}
    >
      <History tag={tag} repoName={repoName} />
      <Pulls repo={repo} tag={name} />
    </Page>
  );
}

function History({ tag, repoName }: { tag: TagName; repoName: string }) {
  const history = useHistory(tag);
  const { loader } = history;
  if (loader.records.count > 0) return <Life {...history} tag={tag} repoName={repoName} />;
  if (loader.error) return <ErrorNotice error={loader.error} retry={() => void loader.load()} />;
  if (loader.state === "loading") return <Loading lines={8} what="Loading the history" />;
  return (
    <Empty title="This tag has no history yet">
      <p>
        The first record appears when the tag points to an image.{" "}
        <a href="/docs/push-and-pull">Push one</a>, or go back to the{" "}
        <Link href={addresses.repository(tag.repo)}>repository</Link>.
      </p>
    </Empty>
  );
}
