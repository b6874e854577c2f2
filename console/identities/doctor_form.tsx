/** The field for a token or its claims. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useClient } from "../data/platform.tsx";
import { Button } from "../elements/button.tsx";
import { CheckField, Field } from "../elements/fields.tsx";
import { Section } from "../elements/page.tsx";
import type { Pasted } from "./token_text.ts";
import type { Diagnosing } from "./use_diagnosis.ts";

interface DoctorFormProps {
  text: string;
  pasted: Pasted;
  diagnosing: Diagnosing;
  /** The uid of the only identity to compare, or an empty text. */
  identity: string;
  onText: (text: string) => void;
  onClear: () => void;
  onAllIdentities: () => void;
}

const kinds: Record<Pasted["kind"], string> = {
  nothing: "",
  token: "This is a token.",
  unreadable: "This token cannot be read here. The platform says what is wrong with it.",
  claims: "These are claims. Without the token, the platform cannot check the signature.",
  wrong: "",
};

export function DoctorForm(props: DoctorFormProps) {
  const { text, pasted, diagnosing, identity, onText, onClear, onAllIdentities } = props;
  const [clearsAfter, setClearsAfter] = useState(false);
  const canAsk = pasted.kind !== "nothing" && pasted.kind !== "wrong";
  const ask = async () => {
    const isAnswered = await diagnosing.start(pasted);
    if (isAnswered && clearsAfter) onClear();
  };
  return (
    <Section title="Your token">
      <form
        class="form identities-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (canAsk) void ask();
        }}
      >
        <TokenField text={text} pasted={pasted} onText={onText} />
        {identity !== "" && <OneIdentity uid={identity} onAll={onAllIdentities} />}
        <CheckField
          label="Clear the field after the answer"
          checked={clearsAfter}
          onChange={setClearsAfter}
        />
        <div class="identities-form-actions">
          <Button
            type="submit"
            kind="primary"
            busy={diagnosing.isBusy}
            refusal={canAsk ? undefined : "Paste a token or its claims first."}
          >
            Check the token
          </Button>
          <Button
            refusal={
              text === "" && !diagnosing.isKept ? "The page has no token to clear." : undefined
            }
            onClick={onClear}
          >
            Clear the token
          </Button>
        </div>
      </form>
    </Section>
  );
}

function TokenField({ text, pasted, onText }: Pick<DoctorFormProps, "text" | "pasted" | "onText">) {
  return (
    <Field
      label="Token or claims"
      hint={`The token is sent to the platform, which neither stores nor logs it. This page forgets it when you clear the field or leave. ${kinds[pasted.kind]}`}
      error={pasted.kind === "wrong" ? pasted.why : undefined}
    >
      {(attributes) => (
        <textarea
          {...attributes}
          class="input identities-token"
          rows={5}
          value={text}
          // A browser must neither keep the text for later nor send it to a spelling service.
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          translate={false}
          placeholder='eyJhbGciOi… or {"iss": "https://…", "sub": "…"}'
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      )}
    </Field>
  );
}

function OneIdentity({ uid, onAll }: { uid: string; onAll: () => void }) {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["identities", uid],
    queryFn: () => client.identities.get(uid),
  });
  return (
    <p class="identities-one">
      <span>
        Only the identity <strong>{data?.name ?? "…"}</strong> is compared.
      </span>
      <Button onClick={onAll}>Compare the others too</Button>
    </p>
  );
}
