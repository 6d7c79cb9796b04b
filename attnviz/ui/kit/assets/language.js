// The document's language and its direction: the component shows nothing.
export default function ({ data }) {
  document.documentElement.lang = data.lang;
  document.documentElement.dir = data.dir;
}
