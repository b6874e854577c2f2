/** How a value in a token differs from what an identity accepts. */
import type { DifferenceSegment } from "../../client/index.ts";

/** The text with marks. Screen readers read the words before each marked part. */
export function Difference({
  segments,
  isPattern,
}: {
  segments: readonly DifferenceSegment[];
  isPattern: boolean;
}) {
  return (
    <code class="identities-difference" dir="auto">
      {segments.map(({ kind, text = "" }, index) => {
        if (kind === "DIFFERENCE_KIND_DELETED")
          return (
            <del key={index}>
              <span class="out-of-sight">only in the identity: </span>
              {text}
            </del>
          );
        if (kind === "DIFFERENCE_KIND_INSERTED")
          return (
            <ins key={index}>
              <span class="out-of-sight">
                {isPattern ? "the pattern does not match: " : "only in the token: "}
              </span>
              {text}
            </ins>
          );
        return <span key={index}>{text}</span>;
      })}
    </code>
  );
}

/** Explains the marks. */
export const DifferenceLegend = ({ isPattern }: { isPattern: boolean }) => (
  <small class="pale" aria-hidden="true">
    {isPattern ? (
      <>
        <ins class="identities-mark">Marked</ins>: the pattern does not match this part
      </>
    ) : (
      <>
        <del class="identities-mark">Struck</del>: only in the identity ·{" "}
        <ins class="identities-mark">Underlined</ins>: only in the token
      </>
    )}
  </small>
);
