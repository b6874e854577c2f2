/** The decisions of the tag rules about one tag: what a pull gets, and whether it can be deleted or move to a digest. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { CheckTagRequest, CheckTagResponse } from "../../client/index.ts";
import { shortDigest } from "../data/digests.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { TextField, violationOf } from "../elements/fields.tsx";
import { FormError } from "../elements/form_error.tsx";
import { Section } from "../elements/page.tsx";
import { Loading } from "../elements/states.tsx";
import { readRefusal, ruleAddress } from "./refusals.ts";

interface TagCheckProps {
  /** The uid of the repository, and the name of the tag. */
  tag: { repo: string; name: string };
  /** The digest that the field begins with. Empty for none. */
  digest: string;
}

export function TagCheck({ tag, digest }: TagCheckProps) {
  const permissions = useMay(tag.repo);
  const [typed, setTyped] = useState<string>();
  const [asked, ask] = useState("");
  const refusal = refusalOf(
    permissions,
    "the repository",
    "CAP_REGISTRY_TAG_RULE_LIST",
    "CAP_TAG_LIST",
  );
  const wanted = (typed ?? digest).trim();
  const move = useCheck(tag, asked === "" || refusal ? undefined : { moveTo: asked });
  const deletion = useCheck(tag, refusal ? undefined : { delete: true });
  const pull = useCheck(tag, refusal ? undefined : { pull: true });
  return (
    <Section title="Tag rules">
      {refusal ? (
        <p class="pale">{refusal}</p>
      ) : (
        <>
          <Pull query={pull} repo={tag.repo} />
          <Decision query={deletion} repo={tag.repo} what="be deleted" />
          <form
            class="form tag-rules-check"
            onSubmit={(event) => {
              event.preventDefault();
              ask(wanted);
            }}
          >
            <TextField
              label="Can it move to this digest?"
              value={typed ?? digest}
              onInput={setTyped}
              placeholder="sha256:…"
              error={violationOf(move.error, "move_to")}
              required
            />
            <Button type="submit" busy={move.isFetching}>
              Check
            </Button>
          </form>
          {asked !== "" && (
            <Decision query={move} repo={tag.repo} what={`move to ${shortDigest(asked)}`} />
          )}
        </>
      )}
    </Section>
  );
}

/** Asks the platform about a change. Undefined asks nothing. */
function useCheck(
  { repo, name }: TagCheckProps["tag"],
  change: Pick<CheckTagRequest, "moveTo" | "delete" | "pull"> | undefined,
) {
  const client = useClient();
  return useQuery({
    // A move of the tag asks again.
    queryKey: ["tags", "check", repo, name, change],
    queryFn: () => client.tagRules.checkTag({ repoUid: repo, tag: name, ...change }),
    enabled: change !== undefined,
    staleTime: 0,
  });
}

interface DecisionProps {
  query: Pick<ReturnType<typeof useCheck>, "data" | "error">;
  repo: string;
  /** The change, as in `be deleted`. */
  what: string;
}

function Decision({ query: { data, error }, repo, what }: DecisionProps) {
  if (error) return <FormError error={error} fields={["move_to"]} />;
  if (!data) return <Loading lines={1} />;
  return (
    <p role="status">
      {data.allowed ? (
        <Allowed answer={data} repo={repo} what={what} />
      ) : (
        <Kept answer={data} repo={repo} what={what} />
      )}
    </p>
  );
}

/** The image that a pull of the person gets, and why. */
function Pull({ query: { data, error }, repo }: Pick<DecisionProps, "query" | "repo">) {
  if (error) return <FormError error={error} fields={[]} />;
  if (!data) return <Loading lines={1} />;
  const { servedDigest = "", currentDigest, reason = "", tagRuleUid = "" } = data;
  const { rule, why, uid } = readRefusal(reason, tagRuleUid);
  const isAsItIs = servedDigest === currentDigest;
  return (
    <p role="status">
      <Badge tone={isAsItIs ? "good" : "warn"}>{isAsItIs ? "As it is" : "Held back"}</Badge> A pull
      gets {servedDigest ? <code>{shortDigest(servedDigest)}</code> : "nothing"}, because{" "}
      {rule && (
        <>
          of the rule <Link href={ruleAddress(uid, repo)}>{rule}</Link>:{" "}
        </>
      )}
      <bdi>{why}</bdi>. {!rule && uid && <Link href={ruleAddress(uid, repo)}>See the rule</Link>}
    </p>
  );
}

interface AnswerProps extends Pick<DecisionProps, "repo" | "what"> {
  answer: CheckTagResponse;
}

function Allowed({ answer: { tagRuleUid = "", reason }, repo, what }: AnswerProps) {
  return (
    <>
      <Badge tone="good">Allowed</Badge> The tag can {what}: {reason}.{" "}
      {tagRuleUid && <Link href={ruleAddress(tagRuleUid, repo)}>See the rule</Link>}
    </>
  );
}

function Kept({ answer, repo, what }: AnswerProps) {
  const { rule, why, uid } = readRefusal(answer.reason ?? "", answer.tagRuleUid ?? "");
  return (
    <>
      <Badge tone="warn">Kept</Badge> The tag cannot {what}. Kept by{" "}
      <Link href={ruleAddress(uid, repo)}>{rule || "a rule"}</Link>: <bdi>{why}</bdi>.
      {answer.overridable && " You can override the rule with a reason."}
    </>
  );
}
