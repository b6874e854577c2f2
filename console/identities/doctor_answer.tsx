/** The answer below the form of the doctor. */
import { Button } from "../elements/button.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Loading } from "../elements/states.tsx";
import { Checks, Comparison } from "./diagnosis.tsx";
import type { Diagnosing, DiagnosisScope } from "./use_diagnosis.ts";
import { Verdict } from "./verdict.tsx";

interface DoctorAnswerProps {
  diagnosing: Diagnosing;
  scope: DiagnosisScope;
  onAll: (isForAll: boolean) => void;
}

/** Identities whose differences show without a click. */
const firstOpen = 2;

const pasteAgain = "You have cleared the token. Paste it again to compare more.";

export function DoctorAnswer({ diagnosing, scope, onAll }: DoctorAnswerProps) {
  const { answer, error, isBusy, next } = diagnosing;
  if (!answer && !error) return isBusy ? <Loading lines={6} what="Checking the token" /> : null;
  return (
    <div class="identities-diagnosis">
      {answer && (
        <>
          <Verdict identities={answer.identities ?? []} />
          <Checks checks={answer.checks ?? []} />
          <h2 class="identities-title">
            {scope.isForAll ? "Every identity" : "Identities, the most similar first"}
          </h2>
          {answer.identities?.map((diagnosis, index) => (
            <Comparison key={diagnosis.uid} diagnosis={diagnosis} isOpen={index < firstOpen} />
          ))}
          <More diagnosing={diagnosing} scope={scope} onAll={onAll} />
        </>
      )}
      {error && (
        <ErrorNotice
          error={error}
          {...(diagnosing.isKept ? { retry: () => void (next ?? diagnosing.repeat)() } : {})}
        />
      )}
    </div>
  );
}

function More({ diagnosing, scope, onAll }: DoctorAnswerProps) {
  const { answer, isBusy, isKept, next } = diagnosing;
  if (scope.identity !== "") return null;
  if (!scope.isForAll)
    return (
      <p class="identities-one">
        <span>
          {answer?.incomplete
            ? "There can be further identities, which are less similar."
            : "These are all identities that are similar."}
        </span>
        <Button refusal={isKept ? undefined : pasteAgain} onClick={() => onAll(true)}>
          Compare every identity
        </Button>
      </p>
    );
  return (
    <p class="identities-one">
      {answer?.nextPageToken ? (
        <Button
          busy={isBusy}
          refusal={isKept ? undefined : pasteAgain}
          onClick={() => void next?.()}
        >
          Show more
        </Button>
      ) : (
        <span>These are all identities of the group and of the groups below it.</span>
      )}
      <Button refusal={isKept ? undefined : pasteAgain} onClick={() => onAll(false)}>
        Show only similar ones
      </Button>
    </p>
  );
}
