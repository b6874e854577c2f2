/** Signs that go with a text or a label. They are drawn here, because fonts lack many of them. */

/** The path of each sign in a square of 16 by 16. */
const paths = {
  check: "M3 8.5l3.2 3.2L13 5",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M6 6h7.5v7.5H6zM10.500 6V2.500H2.500v8H6",
  expand: "M4 6l4 4 4-4",
  more: "M8 3.500v.01M8 8v.01M8 12.500v.01",
  menu: "M2.500 4h11M2.500 8h11M2.500 12h11",
  search: "M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.300 10.300 14 14",
  theme: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  warning: "M8 2.500 14.500 13.500h-13zM8 6.500v3.200M8 11.300v.5",
} as const;

/** The name of a sign. */
export type IconName = keyof typeof paths;

/** A sign. Screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        stroke-width={name === "more" ? 2.4 : 1.5}
        stroke-linecap={name === "more" ? "round" : "butt"}
      />
    </svg>
  );
}
