/** The effect of a tag rule: the tags that it would refuse now, and the moves that it would have refused. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { PreviewedTag, RefusedMove, TagRuleInput } from "../../client/index.ts";
import { shortDigest } from "../data/digests.ts";
import { useClient } from "../data/platform.tsx";
import { type RowWindow, useUncountedRows } from "../data/rows.ts";
import { Button } from "../elements/button.tsx";
import { formatCount } from "../elements/bytes.ts";
import { FormError } from "../elements/form_error.tsx";
import { Loading } from "../elements/states.tsx";
import { Time } from "../elements/time.tsx";
import { type RuleScope, rulesKey } from "./use_rules.ts";

interface PreviewProps {
  scope: RuleScope;
  /** The rule, and when the person asked. */
  asked: { input: TagRuleInput; time: number };
  /** The fields of the form, which show their errors. */
  fields: readonly string[];
  onError: (error: Error) => void;
}

export function RulePreview({ scope, asked, fields, onError }: PreviewProps) {
  const client = useClient();
  const { input, time } = asked;
  // A rule can be tried before it has a name.
  const tagRule = { ...input, name: input.name || "new rule" };
  const rows = useUncountedRows<PreviewedTag>({
    key: [...rulesKey, "preview", scope.uid, input, time],
    list: (position) => client.tagRules.previewTagRule({ parent: scope.uid, tagRule, ...position }),
  });
  useEffect(() => {
    if (rows.error) onError(rows.error);
  }, [rows.error]);
  if (rows.error) return <FormError error={rows.error} fields={fields} />;
  if (rows.isLoading) return <Loading lines={3} what="Loading what the rule would do" />;
  return (
    <section class="tag-rules-preview" aria-label="What it would do">
      {input.serve ? <Served rows={rows} /> : <Effects rows={rows} />}
      {!rows.isComplete && (
        <Button onClick={() => (rows.lookFurther ? rows.lookFurther() : rows.show(0, rows.count))}>
          Look at more tags
        </Button>
      )}
    </section>
  );
}

/** A move and its tag. */
interface TagMove {
  tag: PreviewedTag;
  move: RefusedMove;
}

interface EffectsProps {
  rows: RowWindow<PreviewedTag>;
}

const tagsOf = (rows: RowWindow<PreviewedTag>) =>
  Array.from({ length: rows.count }, (_, index) => rows.row(index)).filter(
    (tag) => tag !== undefined,
  );

const Matched = ({ rows, count }: EffectsProps & { count: number }) => (
  <>
    {rows.isComplete ? "It matches" : "So far, it matches"} {counted(count, "tag")}.
  </>
);

/** The images that pulls would get. */
function Served({ rows }: EffectsProps) {
  const tags = tagsOf(rows);
  const others = tags.filter(({ digest, servedDigest }) => servedDigest !== digest);
  const nothing = others.filter(({ allowed }) => !allowed);
  return (
    <>
      <p role="status">
        <Matched rows={rows} count={tags.length} /> Your pulls would get an earlier image of{" "}
        {counted(others.length - nothing.length, "tag")}, and nothing of{" "}
        {counted(nothing.length, "tag")}.
      </p>
      {others.length > 0 && (
        <EffectList title="Tags that it would hold back">
          {others.map((tag) => (
            <li key={tag.tagUid}>
              <TagText tag={tag} />{" "}
              <span class="pale">
                gets {tag.servedDigest ? shortDigest(tag.servedDigest) : "nothing"}
              </span>
              : <bdi>{tag.reason}</bdi>
            </li>
          ))}
        </EffectList>
      )}
    </>
  );
}

function Effects({ rows }: EffectsProps) {
  const tags = tagsOf(rows);
  const refused = tags.filter(({ allowed }) => !allowed);
  const moves = tags
    .flatMap((tag) => (tag.refusedMoves ?? []).map((move): TagMove => ({ tag, move })))
    .toSorted((a, b) => ((a.move.updateTime ?? "") < (b.move.updateTime ?? "") ? 1 : -1));
  return (
    <>
      <p role="status">
        <Matched rows={rows} count={tags.length} /> It would refuse {counted(refused.length, "tag")}{" "}
        now, and would have refused {counted(moves.length, "move")} of the last 90 days.
      </p>
      {refused.length > 0 && (
        <EffectList title="Tags that it would refuse now">
          {refused.map((tag) => (
            <li key={tag.tagUid}>
              <TagText tag={tag} />: <bdi>{tag.reason}</bdi>
            </li>
          ))}
        </EffectList>
      )}
      {moves.length > 0 && (
        <EffectList title="Moves that it would have refused">
          {moves.map(({ tag, move }) => (
            <li key={`${tag.tagUid} ${move.updateTime}`}>
              <TagText tag={tag} />{" "}
              <span class="pale">
                {move.digest ? `to ${shortDigest(move.digest)}` : "deleted"},{" "}
                <Time time={move.updateTime} />
              </span>
              : <bdi>{move.reason}</bdi>
            </li>
          ))}
        </EffectList>
      )}
    </>
  );
}

const counted = (count: number, noun: string) =>
  count === 0 ? `no ${noun}s` : `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;

function EffectList({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <h3>{title}</h3>
      <ul>{children}</ul>
    </>
  );
}

const TagText = ({ tag: { repo, tag } }: { tag: PreviewedTag }) => (
  <b>
    <bdi>{repo}</bdi>:<bdi>{tag}</bdi>
  </b>
);
