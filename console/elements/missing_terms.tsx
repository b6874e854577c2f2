/** The legal documents that an organization must accept before a call, and the button that accepts them. */
import { useMutation } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useLocation } from "wouter-preact";
import type { Term } from "../../client/index.ts";
import { useCurrentGroup, useGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { rootOf } from "../data/uids.ts";
import { Button } from "./button.tsx";

/** The organization of the page: that of the uid in its address, otherwise that of the current group. */
function useOrganization(): string {
  const [path] = useLocation();
  const { uid } = useCurrentGroup();
  const [, inPath] = /\/([0-9a-f]{40})(?=[/@]|$)/.exec(path) ?? [];
  return inPath ?? rootOf(uid);
}

interface MissingTermsProps {
  terms: readonly Term[];
  /** Repeats the call once the documents are accepted. */
  retry?: (() => void) | undefined;
  /** Shows the error of the acceptance. */
  refused: (error: Error) => ComponentChildren;
}

/** Shows the documents, with a button for those who may accept them. */
export function MissingTerms({ terms, retry, refused }: MissingTermsProps) {
  const client = useClient();
  const organization = useOrganization();
  const { data: group } = useGroup(organization);
  const { may } = useMay(organization);
  const acceptance = useMutation({
    mutationFn: () =>
      client.terms.acceptTerms({ group: organization, documentIds: terms.map(({ id }) => id) }),
    onSuccess: () => retry?.(),
  });
  const name = group?.name ?? "your organization";
  const refusal =
    may("CAP_TERMS_ACCEPT") === false
      ? `You need the terms.accept capability on ${name}.`
      : undefined;
  return (
    <>
      <p class="error-message">
        <bdi>{name}</bdi> must accept {terms.length === 1 ? "a document" : "these documents"} first.
      </p>
      <ul class="missing-terms">
        {terms.map((term) => (
          <li key={term.id}>
            <Document term={term} /> <code>{term.id}</code>
          </li>
        ))}
      </ul>
      {acceptance.isSuccess ? (
        <p role="status">Accepted. Try again.</p>
      ) : (
        <>
          <p>
            The acceptance is binding for <bdi>{name}</bdi> and all its groups. Read first.
          </p>
          <Button busy={acceptance.isPending} refusal={refusal} onClick={() => acceptance.mutate()}>
            Accept for {name}
          </Button>
        </>
      )}
      {acceptance.error && refused(acceptance.error)}
    </>
  );
}

/** The operator sets the address. Only a web page is a link. */
function Document({ term: { id, label, url } }: { term: Term }) {
  const text = label || id;
  if (!/^https?:\/\//.test(url)) return <bdi>{text}</bdi>;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      <bdi>{text}</bdi>
    </a>
  );
}
