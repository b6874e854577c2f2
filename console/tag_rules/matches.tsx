/** The names that tag rules match, in plain words. */
import type { TagRule } from "../../client/index.ts";

/** The names that a rule matches, as a sentence. */
export function Matches({ rule }: { rule: TagRule }) {
  const { includeTags = [], excludeTags = [] } = rule;
  return (
    <>
      <Patterns noun="tags" include={includeTags} exclude={excludeTags} />
      <MatchedRepos rule={rule} />
    </>
  );
}

/** The repositories that a rule matches, as the end of a sentence. Nothing if it matches all. */
export function MatchedRepos({
  rule: { includeRepos = [], excludeRepos = [] },
}: {
  rule: TagRule;
}) {
  if (includeRepos.length + excludeRepos.length === 0) return null;
  return (
    <>
      {" in "}
      <Patterns noun="repositories" include={includeRepos} exclude={excludeRepos} />
    </>
  );
}

interface PatternsProps {
  noun: string;
  include: readonly string[];
  exclude: readonly string[];
}

function Patterns({ noun, include, exclude }: PatternsProps) {
  return (
    <>
      {include.length === 0 ? `all ${noun}` : <>the {noun} </>}
      <Codes texts={include} />
      {exclude.length > 0 && " except "}
      <Codes texts={exclude} />
    </>
  );
}

/** Texts with commas between them. */
function Codes({ texts }: { texts: readonly string[] }) {
  return (
    <>
      {texts.map((text, index) => (
        <span key={text}>
          {index > 0 && ", "}
          <code>{text}</code>
        </span>
      ))}
    </>
  );
}
