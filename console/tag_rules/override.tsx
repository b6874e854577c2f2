/** Dialogs whose change a tag rule can refuse: they show the rule, and ask for a reason to override it. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { useMay } from "../data/may.ts";
import { refusalOf } from "../data/refusals.ts";
import { TextField } from "../elements/fields.tsx";
import { refusalsIn, ruleAddress } from "./refusals.ts";

/** The longest reason that the platform takes. */
const maxReason = 512;

/**
 * Returns what a dialog needs for a change of tags of the repository. `request` is a part of the request: the reason, once
 * the person has given one. `refused` shows the error of a rule in place of the notice.
 */
export function useOverride(repo: string) {
  const [reason, setReason] = useState("");
  const overrideReason = reason.trim();
  return {
    request: overrideReason === "" ? {} : { overrideReason },
    refused: (error: Error) => {
      const refusals = refusalsIn(error);
      return (
        refusals.length > 0 && (
          <Refused repo={repo} refusals={refusals} reason={reason} onReason={setReason} />
        )
      );
    },
  };
}

interface RefusedProps {
  repo: string;
  refusals: ReturnType<typeof refusalsIn>;
  reason: string;
  onReason: (reason: string) => void;
}

function Refused({ repo, refusals, reason, onReason }: RefusedProps) {
  const refusal = refusalOf(useMay(repo), "the repository", "CAP_TAG_OVERRIDE");
  return (
    <>
      <div class="error-notice" role="alert">
        <p class="error-message">A tag rule refuses this:</p>
        <ul>
          {refusals.map(({ text, uid }) => (
            <li key={text}>
              <bdi>{text}</bdi> <Link href={ruleAddress(uid, repo)}>See the rule</Link>
            </li>
          ))}
        </ul>
        {refusal && <p>To do it all the same, someone has to override the rule. {refusal}</p>}
      </div>
      {!refusal && (
        <TextField
          label="Reason to override the rule"
          hint="With a reason, you can do it all the same. The history of the tag shows the reason."
          value={reason}
          onInput={onReason}
          maxLength={maxReason}
        />
      )}
    </>
  );
}
