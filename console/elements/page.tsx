/** The frame of a page: where it is, its title, its actions. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Link } from "wouter-preact";

interface PageProps {
  title: string;
  /** The pages above this one, from the outermost: the text and the address below `/console`. */
  path?: readonly (readonly [string, string])[];
  actions?: ComponentChildren;
  /** A line below the title. */
  lead?: ComponentChildren;
  children: ComponentChildren;
}

/** A page. It names the window, and takes the focus when the person comes from another page. */
export function Page({ title, path = [], actions, lead, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Platform API`;
  }, [title]);
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <article>
      {path.length > 0 && (
        <nav class="page-path" aria-label="Breadcrumbs">
          <ol>
            {path.map(([text, address]) => (
              <li key={address}>
                <Link href={address} title={text}>
                  {text}
                </Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title.trim() === "" ? "Without a name" : title}
        </h1>
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {lead && <div class="page-lead">{lead}</div>}
      {children}
    </article>
  );
}

/** A part of a page with a heading. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="section-card" aria-label={title}>
      <header class="section-head">
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** Links between the views of one page. Each view has an address. */
export function Views({
  label,
  current,
  views,
}: {
  label: string;
  current: string;
  /** The address below `/console`, and the text. */
  views: readonly (readonly [string, ComponentChildren])[];
}) {
  const row = useRef<HTMLElement>(null);
  // In a narrow window the row scrolls, and the current view can be out of sight.
  useEffect(() => {
    const link = row.current?.querySelector<HTMLElement>("[aria-current]");
    if (row.current && link) row.current.scrollLeft = link.offsetLeft - row.current.offsetLeft - 48;
  }, [current]);
  return (
    <nav class="views" aria-label={label} ref={row}>
      {views.map(([address, text]) => (
        <Link key={address} href={address} aria-current={address === current ? "page" : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  );
}

/** Names and values, such as the properties of an image. Rows without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(
          ([, value]) => value !== undefined && value !== "" && value !== null && value !== false,
        )
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
