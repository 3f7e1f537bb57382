import{t as e}from"./queryOptions-Dfvzj6n2.js";import{t}from"./useSuspenseQuery-Di0GQSd2.js";import{r as n,t as r}from"./graphql-_m2Zo-_n.js";import{o as i}from"./main-C-oYntFE.js";var a=r(`
  query Viewer {
    viewer { role environment isStaff operations store { id name productionStatus } }
    me { user { id name email } }
    stores { id name }
  }
`),o=e({queryKey:[`viewer`],queryFn:async({signal:e})=>{let{viewer:t,me:r,stores:o}=await n(a,{},{signal:e});return{...i(t),user:i(r).user,stores:i(o)}},staleTime:6e4});function s(){let{data:e}=t(o);return t=>e.operations.includes(t)}export{o as n,s as t};