// Style sheets, which the bundler takes: those of a component give the names of its classes.
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}
declare module '*.css' {}
declare module '*.svg' {
  const address: string;
  export default address;
}
