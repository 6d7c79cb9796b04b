// The document's language: the component shows nothing.
export default function ({ data }) {
  document.documentElement.lang = data;
}
