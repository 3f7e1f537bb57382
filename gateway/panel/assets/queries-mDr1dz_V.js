import{D as e,w as t}from"./format-CqjdgUsg.js";import{t as n}from"./useSuspenseQuery-pjOjuq1k.js";import{r,t as i}from"./graphql-_m2Zo-_n.js";import{t as a}from"./present-DW0qiDls.js";var o=i(`
  query Viewer {
    viewer { role environment isStaff lacksSecondFactor operations store { id name productionStatus timeZone } }
    me { user { id name email } }
    stores { id name timeZone }
  }
`),s=e({queryKey:[`viewer`],queryFn:async({signal:e})=>{let{viewer:n,me:i,stores:s}=await r(o,{},{signal:e});return t(a(n).store.timeZone),{...a(n),user:a(i).user,stores:a(s)}},staleTime:6e4});function c(){let{data:e}=n(s);return t=>e.operations.includes(t)}export{s as n,c as t};